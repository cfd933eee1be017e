// Permissions: the mode, remembered answers that can be taken back, and rules for commands.
import { useState } from "../vendor/preact-htm.js";
import { Problem, ago, useData, when } from "./data.js";
import { post } from "./net.js";
import { label, loadStart, useStore } from "./state.js";
import { has, t } from "./texts.js";
import { Chip, Empty, Icon, IconButton, Page, html, say, visible } from "./ui.js";

// What a grant is for; characters that nobody sees are written as escapes.
const patternOf = (grant) => visible(Object.entries(grant.pattern ?? {}).map(([name, value]) => `${name}: ${value}`).join(", ") || grant.about || "");

function Grant({ grant, titles, back }) {
  const holder = grant.scope === "session" ? titles[grant.holder] ?? grant.holder : grant.scope === "agent" ? t("grants.agent", { agent: grant.holder }) : t("grants.everywhere");
  const isNo = grant.verdict === "deny", pattern = patternOf(grant);
  return html`<tr><td><b>${label(grant.tool)}</b><small><code>${grant.tool}</code> ${grant.need}</small></td>
    <td><${Chip} tone=${isNo ? "bad" : "ok"}>${isNo ? t("grants.never") : t("grants.for." + grant.scope)}</><small>${holder}</small></td>
    <td>${pattern ? html`<code class="pattern">${pattern}</code>` : html`<span class="faint">${t("grants.any")}</span>`}<small>${grant.expires ? t("grants.end", { time: when(grant.expires) }) : grant.scope === "session" ? t("grants.session_end") : t("grants.no_end")}</small></td>
    <td class="num">${ago(grant.created)}</td><td class="num"><button type="button" class="small" onClick=${() => back(grant)}>${t("grants.back")}</button></td></tr>`;
}

function Rules({ rules, set, fail }) {
  const [list, setList] = useState("allow");
  const change = (path, body) => post("/permissions/rules" + path, body).then(set, (error) => fail(error.message));
  const add = (event) => { event.preventDefault(); const form = event.target, rule = form.elements.rule.value.trim(); if (rule) change("", { list, rule }).then(() => form.reset()); };
  const all = [...rules.allow.map((rule) => ["allow", rule]), ...rules.deny.map((rule) => ["deny", rule])];
  return html`<h2 class="sub">${t("rules")}</h2><p class="lead">${t("rules.lead")}</p>
    <ul class="rows boxed">${all.map(([name, rule]) => html`<li key=${name + rule}><code class="grow pattern">${visible(rule)}</code><${Chip} tone=${name === "allow" ? "ok" : "bad"}>${t("rules." + name)}</><${IconButton} icon="x" label=${t("rules.remove", { rule })} onClick=${() => change("/remove", { list: name, rule })} /></li>`)}
      ${all.length === 0 && html`<li class="faint">${t("rules.none")}</li>`}
      <li><form class="row grow wrap" onSubmit=${add}><label class="field grow rule"><span class="sr">${t("rules.pattern")}</span><input name="rule" placeholder=${t("rules.pattern")} /></label><label class="field"><span class="sr">${t("grants.answer")}</span><select value=${list} onChange=${(event) => setList(event.target.value)}><option value="allow">${t("rules.allow")}</option><option value="deny">${t("rules.deny")}</option></select></label><button type="submit"><${Icon} name="plus" /> ${t("rules.add")}</button></form></li></ul>`;
}

export default function Permissions() {
  const { sessions } = useStore();
  const grants = useData("/grants"), rules = useData("/permissions");
  const [gone, setGone] = useState(null);
  const titles = Object.fromEntries(sessions.map((one) => [one.id, one.title]));
  const fail = (error) => grants.setProblem(error.message);
  const back = (grant) => post(`/grants/${grant.id}/revoke`).then(() => { setGone(grant); say(t("grants.gone", { tool: label(grant.tool) })); grants.load(); }, (error) => { fail(error); grants.load(); });
  const restore = () => post("/grants/restore", { grant: gone }).then(() => { setGone(null); grants.load(); }, fail);
  const setMode = (mode) => post("/permissions/mode", { mode }).then((now) => { rules.set(now); say(t("mode.done", { mode: now.mode })); loadStart(); }, (error) => { rules.setProblem(error.message); rules.load(); });
  const nameOf = (mode) => has("mode." + mode) ? t("mode." + mode) : `${mode}: ${rules.data.modes[mode]}`;
  return html`<${Page} title=${t("page.permissions")} lead=${t("page.permissions.lead")} wide
      actions=${rules.data && html`<label class="field inline"><span>${t("mode")}</span><select value=${rules.data.mode} onChange=${(event) => setMode(event.target.value)}>${Object.keys(rules.data.modes).map((mode) => html`<option value=${mode} selected=${mode === rules.data.mode}>${nameOf(mode)}</option>`)}</select></label>`}>
    <${Problem} text=${grants.problem || rules.problem} />
    ${gone && html`<p class="toast" role="status"><span>${t("grants.gone", { tool: label(gone.tool) })}</span> <button type="button" class="ghost small" onClick=${restore}>${t("grants.undo")}</button></p>`}
    ${grants.data?.length ? html`<div class="boxed table" tabindex="0" role="region" aria-label=${t("grants.list")}><table class="full stack"><thead><tr><th>${t("grants.tool")}</th><th>${t("grants.answer")}</th><th>${t("grants.when")}</th><th class="num">${t("grants.since")}</th><th><span class="sr">${t("grants.back")}</span></th></tr></thead><tbody>
      ${grants.data.map((grant) => html`<${Grant} key=${grant.id} grant=${grant} titles=${titles} back=${back} />`)}</tbody></table></div>`
    : grants.data && html`<${Empty} icon="shield" title=${t("grants.none")}>${t("grants.none.text")}</>`}
    ${rules.data && html`<${Rules} rules=${rules.data} set=${rules.set} fail=${rules.setProblem} />`}</>`;
}
