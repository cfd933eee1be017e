// Tools, agents, models, permissions, runs: each reads the API when it is opened.
import { useEffect, useState } from "../vendor/preact-htm.js";
import { get, post } from "./net.js";
import { t } from "./texts.js";
import { Chip, Empty, Icon, Page, Switch, html, say } from "./ui.js";

function useData(path) {
  const [data, set] = useState(null);
  const [problem, setProblem] = useState("");
  const load = () => get(path).then(set, (error) => setProblem(error.message));
  useEffect(() => { load(); }, [path]);
  return { data, problem, load, set };
}
const Problem = ({ text }) => text && html`<p class="note bad" role="alert">${text}</p>`;
const when = (seconds) => new Date(seconds * 1000).toLocaleString();

function ToolTile({ tool, load }) {
  const [problem, setProblem] = useState("");
  const isGone = !tool.on && !tool.switchable;
  const flip = () => post(`/tools/${tool.name}/switch`, { on: !tool.on }).then(([now]) => { say(`${tool.label} is ${now.on ? "on" : "off"}`); load(); }, (error) => { setProblem(error.message); load(); });
  return html`<label class=${"tile" + (isGone ? " gone" : "")}>
    <span class="tile-top"><b>${tool.label}</b><span class="grow"></span>${isGone ? html`<${Chip}>not here</>` : html`<${Switch} on=${tool.on} label=${tool.label} onChange=${flip} />`}</span>
    <code>${tool.name}</code><span class="tile-about">${tool.description.split("\n")[0]}</span>
    ${!tool.on && tool.why_off && html`<span class="tile-why">${tool.why_off}</span>`}<${Problem} text=${problem} />
    ${tool.asks.length > 0 && html`<span class="asks"><${Icon} name="shield" size="13" /> asks for ${tool.asks.join(", ")}</span>`}</label>`;
}

export function Tools() {
  const tools = useData("/tools"), features = useData("/features");
  const [find, setFind] = useState("");
  const shown = (tools.data ?? []).filter((tool) => (tool.name + tool.label + tool.description).toLowerCase().includes(find.toLowerCase()));
  const flip = (feature) => post(`/features/${feature.name}/switch`, { on: !feature.on }).then(() => { features.load(); tools.load(); }, features.load);
  return html`<${Page} title=${t("page.tools")} lead=${t("page.tools.lead")} wide actions=${html`<label class="field search"><${Icon} name="search" /><span class="sr">Find a tool</span><input type="search" placeholder="Find a tool" value=${find} onInput=${(event) => setFind(event.target.value)} /></label>`}>
    <${Problem} text=${tools.problem} />
    <h2 class="sub">Features</h2>
    <ul class="rows boxed parts">${(features.data ?? []).map((one) => html`<li><span class="grow"><b>${one.name}</b><small>${one.meaning}</small></span><span class="faint num">${one.tools.length ? `${one.tools.length} tools` : ""}</span><${Switch} on=${one.on} label=${one.name} onChange=${() => flip(one)} /></li>`)}</ul>
    <h2 class="sub">Single tools <span class="faint">${shown.length}</span></h2>
    <div class="tiles">${shown.map((tool) => html`<${ToolTile} key=${tool.name} tool=${tool} load=${tools.load} />`)}</div></>`;
}

export function Agents() {
  const { data, problem } = useData("/agents");
  return html`<${Page} title=${t("page.agents")} lead=${t("page.agents.lead")}><${Problem} text=${problem} />
    <ul class="cards">${(data ?? []).map((one) => html`<li class="boxed"><div class="row"><b>${one.name}</b><code class="faint">${one.model || "default model"}</code><span class="grow"></span><${Chip}>${one.tools.length} tools</></div>
      <p>${one.description}</p>${one.problem && html`<p class="bad">${one.problem}</p>`}<p class="faint">${one.place || one.source}</p></li>`)}</ul></>`;
}

export function Models() {
  const { data, problem } = useData("/models");
  const shown = data?.models ?? [];
  return html`<${Page} title=${t("page.models")} lead=${t("page.models.lead")}><${Problem} text=${problem} />
    <ul class="cards">${shown.filter((one) => one.is_set).map((one) => html`<li class="boxed"><div class="row"><span class="lamp ok"></span><b>${one.model}</b>${one.is_default && html`<${Chip} tone="ok">default</>`}<span class="grow"></span><span class="faint num">${one.window ? `${one.window.toLocaleString("en")} tokens` : ""}</span></div></li>`)}</ul>
    <h2 class="sub">Without a key <span class="faint">${shown.filter((one) => !one.is_set).length}</span></h2>
    <ul class="rows boxed">${shown.filter((one) => !one.is_set).map((one) => html`<li><span class="grow">${one.model}</span><code class="faint">${one.key}</code></li>`)}</ul></>`;
}

export function Grants() {
  const { data, problem, load } = useData("/grants");
  const revoke = (grant) => post(`/grants/${grant.id}/revoke`).then(load, load);
  return html`<${Page} title=${t("page.grants")} lead=${t("page.grants.lead")} wide><${Problem} text=${problem} />
    ${data?.length ? html`<div class="boxed table" tabindex="0" role="region" aria-label="List of permissions"><table class="full"><thead><tr><th>Tool</th><th>Need</th><th>Answer</th><th>For</th><th>Until</th><th><span class="sr">Actions</span></th></tr></thead><tbody>
      ${data.map((grant) => html`<tr key=${grant.id}><td><code>${grant.tool}</code></td><td>${grant.need}</td><td>${grant.state ?? grant.answer ?? ""}</td><td>${grant.agent || grant.session || "all"}</td><td class="num">${grant.expires ? when(grant.expires) : "taken back"}</td><td class="num"><button type="button" class="small" onClick=${() => revoke(grant)}>Take back</button></td></tr>`)}</tbody></table></div>`
    : data && html`<${Empty} icon="shield" title=${t("page.grants.none")}>${t("page.grants.none.text")}</>`}</>`;
}

export function Runs() {
  const { data, problem, load } = useData("/runs");
  const resume = (run) => post(`/runs/${run.id}/resume`).then(() => { location.hash = "#/chat/" + run.session; }, load);
  return html`<${Page} title=${t("page.runs")} lead=${t("page.runs.lead")} wide><${Problem} text=${problem} />
    ${data?.length ? html`<div class="boxed table" tabindex="0" role="region" aria-label="List of runs"><table class="full"><thead><tr><th>State</th><th>Agent</th><th>Model</th><th>Started</th><th><span class="sr">Actions</span></th></tr></thead><tbody>
      ${data.map((run) => html`<tr key=${run.id}><td>${run.state}</td><td>${run.agent}</td><td><code>${run.model}</code></td><td class="num">${when(run.created)}</td><td class="num"><a href=${"#/chat/" + run.session}>Open</a>${["interrupted", "stopped"].includes(run.state) && html` <button type="button" class="small" onClick=${() => resume(run)}>${t("chat.resume")}</button>`}</td></tr>`)}</tbody></table></div>`
    : data && html`<${Empty} icon="list" title=${t("page.runs.none")}>${t("page.runs.none.text")}</>`}</>`;
}
