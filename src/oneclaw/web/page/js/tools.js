// Tools: features as switches, then a card for each tool; the whole card toggles.
import { useState } from "../vendor/preact-htm.js";
import { Problem, useData } from "./data.js";
import { get, post } from "./net.js";
import { loadStart } from "./state.js";
import { has, t } from "./texts.js";
import { Chip, Empty, Icon, Page, Search, Switch, html, iconOf, say } from "./ui.js";

const nameOf = (feature) => has("feature." + feature) ? t("feature." + feature) : feature.charAt(0).toUpperCase() + feature.slice(1).replaceAll("_", " ");
const first = (text) => text.split("\n")[0].split(/(?<=\.) /)[0];

// A tool that cannot be here says why, and what brings it.
function Why({ tool }) {
  const [remedy, setRemedy] = useState(null);
  if (remedy === null) { setRemedy(""); get(`/tools/${tool.name}/why`).then((found) => setRemedy(found.remedy ?? ""), () => {}); }
  return html`<span class="tile-why">${tool.why_off}${remedy && html` <code>${remedy.replaceAll("`", "")}</code>`}</span>`;
}

function ToolTile({ tool, load }) {
  const [problem, setProblem] = useState("");
  const isGone = !tool.on && !tool.switchable || Boolean(tool.missing);
  // A switch shows the server's word: it goes back, with a sentence, if the server refuses.
  const flip = () => post(`/tools/${tool.name}/switch`, { on: !tool.on }).then(([now]) => { setProblem(""); say(t(now.on ? "tools.on" : "tools.off", { tool: tool.label })); if (!now.on && !tool.on) setProblem(now.why_off); }, (error) => setProblem(error.message)).finally(load);
  return html`<label class=${"tile" + (isGone ? " gone" : tool.on ? "" : " off")}>
    <span class="tile-top"><span class="tile-icon"><${Icon} name=${iconOf(tool.name)} /></span><b class="clip">${tool.label}</b><span class="grow"></span>${isGone ? html`<${Chip}>${t("tools.gone")}</>` : html`<${Switch} on=${tool.on} label=${tool.label} onChange=${flip} />`}</span>
    <code>${tool.name}</code><span class="tile-about">${first(tool.description)}</span>
    ${!tool.on && tool.why_off && !/switched off|turned off/.test(tool.why_off) && html`<${Why} tool=${tool} />`}<${Problem} text=${problem} />
    ${tool.asks.length > 0 && html`<span class="asks"><${Icon} name="shield" size="13" /> ${t("tools.asks", { needs: tool.asks.join(", ") })}</span>`}
    ${tool.denied.length > 0 && html`<span class="asks bad"><${Icon} name="denied" size="13" /> ${t("tools.denied", { needs: tool.denied.join(", ") })}</span>`}</label>`;
}

export default function Tools() {
  const tools = useData(`/tools`), features = useData("/features");
  const [find, setFind] = useState("");
  const wanted = find.toLowerCase();
  const shown = (tools.data ?? []).filter((tool) => (tool.name + tool.label + tool.description).toLowerCase().includes(wanted));
  const load = () => { tools.load(); features.load(); loadStart(); };
  const flip = (feature) => post(`/features/${feature.name}/switch`, { on: !feature.on }).catch((error) => features.setProblem(error.message)).finally(load);
  return html`<${Page} title=${t("page.tools")} lead=${t("page.tools.lead")} wide actions=${html`<${Search} name=${t("tools.find")} value=${find} onInput=${setFind} />`}>
    <${Problem} text=${tools.problem || features.problem} />
    ${features.data?.length > 0 && !wanted && html`<h2 class="sub">${t("tools.features")}</h2>
      <ul class="rows boxed parts">${features.data.map((one) => html`<li key=${one.name}><label class="feature"><span class="grow"><b>${nameOf(one.name)}</b><small>${one.meaning}</small></span><span class="faint num">${t(one.tools.length === 1 ? "tools.count.one" : "tools.count", { count: one.tools.length })}</span><${Switch} on=${one.on} label=${nameOf(one.name)} onChange=${() => flip(one)} /></label></li>`)}</ul>`}
    <h2 class="sub">${t("tools.single")} <span class="faint">${shown.length}</span></h2>
    ${tools.data && shown.length === 0 ? html`<${Empty} icon="search" title=${t("tools.none")}>${t("tools.none.text")}</>` : html`<div class="tiles">${shown.map((tool) => html`<${ToolTile} key=${tool.name} tool=${tool} load=${load} />`)}</div>`}</>`;
}
