// Runs: what waits for a person, what is going on, what was interrupted, and what is over.
import { useEffect } from "../vendor/preact-htm.js";
import { Problem, ago, useData } from "./data.js";
import { post } from "./net.js";
import { label, useStore } from "./state.js";
import { t } from "./texts.js";
import { Chip, Empty, Icon, Page, html, money, seconds } from "./ui.js";

const TONES = { running: "", done: "ok", failed: "bad", stopped: "", interrupted: "warn", asking: "warn" };

function Run({ run, asking, title, load, fail }) {
  const act = (verb) => post(`/runs/${run.id}/${verb}`).then(() => { if (verb === "resume") location.hash = "#/chat/" + run.session; else load(); }, (error) => { fail(error.message); load(); });
  const mark = asking ? "asking" : run.state, done = run.finished;
  return html`<li class="run"><span class="run-mark">${mark === "running" ? html`<span class="dot tiny"></span>` : html`<span class=${"lamp " + TONES[mark]}></span>`}</span>
    <span class="grow"><a href=${"#/chat/" + run.session}>${title || t("chat.untitled")}</a>
      <small>${[run.agent, run.model, ago(run.created), t("origin." + run.origin), done && t(done.calls === 1 ? "runs.calls.one" : "runs.calls", { count: done.calls ?? 0 }), done?.seconds && seconds(done.seconds), done?.cost && money(done.cost)].filter(Boolean).join(" · ")}</small>
      ${asking && html`<small class="warn"><${Icon} name="shield" size="13" /> ${label(asking.tool)}</small>`}${done?.error && html`<small class="bad">${done.error}</small>`}</span>
    <${Chip} tone=${TONES[mark]}>${t("state." + mark)}</>
    ${asking && html`<a class="button small primary" href=${"#/chat/" + run.session}>${t("runs.answer")}</a>`}
    ${run.state === "running" && html`<button type="button" class="small" onClick=${() => act("stop")}>${t("runs.stop")}</button>`}
    ${run.state === "interrupted" && html`<button type="button" class="small primary" onClick=${() => act("resume")}><${Icon} name="play" size="12" /> ${t("chat.resume")}</button>`}
    ${run.state === "stopped" && html`<button type="button" class="small" onClick=${() => act("resume")}>${t("chat.resume")}</button>`}</li>`;
}

export default function Runs() {
  const { sessions, questions } = useStore();
  const { data, problem, load, setProblem } = useData("/runs");
  useEffect(() => { load(); }, [sessions]);
  const asked = (run) => questions.find((one) => one.run === run.id || one.session === run.session && run.state === "running");
  const titles = Object.fromEntries(sessions.map((one) => [one.id, one.title]));
  const groups = [["runs.waiting", (run) => asked(run)], ["runs.going", (run) => run.state === "running" && !asked(run)], ["runs.interrupted", (run) => run.state === "interrupted" && !asked(run)], ["runs.over", (run) => ["done", "failed", "stopped"].includes(run.state) && !asked(run)]];
  return html`<${Page} title=${t("page.runs")} lead=${t("page.runs.lead")} wide><${Problem} text=${problem} />
    ${data?.length === 0 && html`<${Empty} icon="list" title=${t("runs.none")}>${t("runs.none.text")}</>`}
    ${groups.map(([name, fits]) => { const list = (data ?? []).filter(fits); return list.length > 0 && html`<h2 class="sub" key=${name}>${t(name)} <span class="faint">${list.length}</span></h2><ul class="rows boxed run-list">${list.slice(0, 50).map((run) => html`<${Run} key=${run.id} run=${run} asking=${asked(run)} title=${titles[run.session]} load=${load} fail=${setProblem} />`)}</ul>`; })}</>`;
}
