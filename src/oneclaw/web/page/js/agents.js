// Agents: a list, and a form with tools by checkbox.
import { useEffect, useState } from "../vendor/preact-htm.js";
import { Problem, useData } from "./data.js";
import { get, post } from "./net.js";
import { changed, loadStart, useStore } from "./state.js";
import { has, t } from "./texts.js";
import { Dialog, Field, Icon, Page, html, say } from "./ui.js";

const LIMITS = [["rounds", 1], ["calls", 1], ["seconds", 1], ["cost", "any"]];
const first = (text) => text.split("\n")[0].split(/(?<=\.) /)[0];
const titleOf = (group) => group ? group.charAt(0).toUpperCase() + group.slice(1).replaceAll("_", " ") : t("agents.other");

// The tools of a group: a box with three states, then a box for each.
function Group({ name, tools, chosen, change }) {
  const free = tools.filter((tool) => tool.on || tool.switchable), count = free.filter((tool) => chosen.has(tool.name)).length;
  const flip = (names, on) => { const next = new Set(chosen); for (const one of names) next[on ? "add" : "delete"](one); change(next); };
  return html`<div class="checks"><label class="check group"><input type="checkbox" checked=${count > 0 && count === free.length} indeterminate=${count > 0 && count < free.length} onChange=${() => flip(free.map((tool) => tool.name), count < free.length)} /><b>${titleOf(name)}</b></label>
    ${tools.map((tool) => html`<label key=${tool.name} class=${"check" + (tool.on ? "" : " gone")}><input type="checkbox" checked=${chosen.has(tool.name)} onChange=${(event) => flip([tool.name], event.target.checked)} /><span class="grow"><code>${tool.name}</code> <span class="check-about">${tool.on ? first(tool.description) : tool.why_off || first(tool.description)}</span></span>${tool.asks.length > 0 && html`<span class="need" role="img" aria-label=${t("tools.asks", { needs: tool.asks.join(", ") })} title=${t("tools.asks", { needs: tool.asks.join(", ") })}><${Icon} name="shield" size="14" /></span>`}</label>`)}</div>`;
}

function AgentForm({ agent, tools, models, load, pick }) {
  const isNew = !agent.name, isKept = agent.source === "store" || isNew, document = agent.document ?? {};
  const [chosen, choose] = useState(new Set(document.tools?.allow ? tools.filter((tool) => document.tools.allow.includes(tool.name) || document.tools.allow.includes("group:" + tool.group)).map((tool) => tool.name) : isNew ? tools.filter((tool) => tool.on).map((tool) => tool.name) : agent.tools));
  const [touched, touch] = useState(false);
  const [problem, setProblem] = useState("");
  const [asking, ask] = useState(false);
  const groups = [...new Set(tools.map((tool) => tool.group))];
  const save = async (event) => {
    event.preventDefault();
    const form = event.target.elements, name = form.name.value.trim();
    const limits = Object.fromEntries(LIMITS.map(([field]) => [field, form[field].value]).filter(([, value]) => value !== "").map(([field, value]) => [field, Number(value)]));
    const next = { ...document, name, description: form.description.value, instructions: form.instructions.value, model: form.model.value };
    if (touched) next.tools = { ...(document.tools?.deny && { deny: document.tools.deny }), allow: [...chosen] };
    if (Object.keys(limits).length || document.limits) next.limits = limits;
    for (const field of ["description", "instructions", "model"]) if (!next[field]) delete next[field];
    try { await post(`/agents/${encodeURIComponent(name)}`, { document: next }); setProblem(""); say(t("agents.saved", { agent: name })); await load(); loadStart(); pick(name); }
    catch (error) { setProblem(error.message); }
  };
  const remove = () => post(`/agents/${encodeURIComponent(agent.name)}/remove`).then(() => { ask(false); say(t("agents.removed", { agent: agent.name })); loadStart(); pick(""); return load(); }, (error) => { ask(false); setProblem(error.message); });
  const isLocked = agent.source === "file";
  return html`<form class="form boxed" onSubmit=${save}>
    ${!isKept && html`<p class="note"><${Icon} name="file" size="14" /> ${agent.source === "file" ? t("agents.file", { place: agent.place }) : t("agents.builtin")}</p>`}<${Problem} text=${agent.problem} />
    <fieldset disabled=${isLocked} class="form-in">
    <div class="pair"><${Field} name=${t("agents.name")}><input name="name" defaultValue=${agent.name} required pattern="[a-z][a-z0-9_\\-]*" maxlength="60" /></><${Field} name=${t("agents.model")}><select name="model"><option value="">${t("agents.default")}</option>${[...new Set([document.model, ...models].filter(Boolean))].map((one) => html`<option selected=${one === document.model}>${one}</option>`)}</select></></div>
    <${Field} name=${t("agents.for")} about=${t("agents.for.about")}><input name="description" defaultValue=${document.description ?? ""} /></>
    <${Field} name=${t("agents.instructions")}><textarea name="instructions" rows="4" defaultValue=${document.instructions ?? ""}></textarea></>
    <fieldset><legend>${t("agents.tools")} <span class="faint">${t("agents.tools.of", { count: chosen.size, all: tools.length })}</span></legend>
      ${groups.map((name) => html`<${Group} key=${name} name=${name} tools=${tools.filter((tool) => tool.group === name)} chosen=${chosen} change=${(next) => { touch(true); choose(next); }} />`)}</fieldset>
    <fieldset><legend>${t("agents.limits")}</legend><div class="quad">${LIMITS.map(([field, step]) => html`<${Field} name=${t("agents." + field)}><input name=${field} type="number" min="0" step=${step} defaultValue=${document.limits?.[field] ?? ""} /></>`)}</div></fieldset>
    <${Problem} text=${problem} />
    <footer class="row wrap"><button type="submit" class="primary">${t("save")}</button>${!isNew && html`<button type="button" onClick=${() => { changed({ agent: agent.name }); location.hash = "#/chat"; }}>${t("agents.try")}</button>`}<span class="grow"></span>${isKept && !isNew && html`<button type="button" class="quiet-bad" onClick=${() => ask(true)}><${Icon} name="trash" /> ${t("agents.remove")}</button>`}</footer>
    </fieldset>
    ${asking && html`<${Dialog} title=${t("agents.remove.ask")} close=${() => ask(false)}><p>${agent.name}</p><p class="row end"><button type="button" autofocus onClick=${() => ask(false)}>${t("cancel")}</button><button type="button" class="danger" onClick=${remove}>${t("agents.remove")}</button></p></>`}
  </form>`;
}

export default function Agents({ rest }) {
  const { start } = useStore();
  const agents = useData("/agents"), tools = useData("/tools");
  const [agent, setAgent] = useState(null);
  const name = rest[0] ? decodeURIComponent(rest[0]) : agents.data?.[0]?.name;
  const pick = (to) => { location.hash = "#/agents" + (to ? "/" + encodeURIComponent(to) : ""); };
  const isNew = name === "new";
  useEffect(() => {
    if (isNew) setAgent({ name: "", document: {}, tools: [], problem: "" });
    else if (name) get(`/agents/${encodeURIComponent(name)}`).then(setAgent, (error) => setAgent({ ...agents.data?.find((one) => one.name === name), problem: error.message, document: {} }));
  }, [name, agents.data]);
  const models = start.models.map((one) => one.model).filter((one) => !one.endsWith("…"));
  return html`<${Page} title=${t("page.agents")} lead=${t("page.agents.lead")} wide actions=${html`<button type="button" class="primary" onClick=${() => pick("new")}><${Icon} name="plus" /> ${t("agents.new")}</button>`}>
    <${Problem} text=${agents.problem} />
    <div class="split"><nav class="picks" aria-label=${t("page.agents")}>${(agents.data ?? []).map((one) => html`<button type="button" key=${one.name} aria-current=${one.name === name} onClick=${() => pick(one.name)}><b>${one.name}</b><small class=${one.problem ? "bad" : ""}>${one.problem || one.description || (has("agents.source." + one.source) ? t("agents.source." + one.source) : one.source)}</small></button>`)}</nav>
      ${agent && tools.data && (isNew ? !agent.name : agent.name === name) && html`<${AgentForm} key=${(agent.name || "new") + JSON.stringify(agent.document ?? {})} agent=${agent} tools=${tools.data} models=${models} load=${agents.load} pick=${pick} />`}</div></>`;
}
