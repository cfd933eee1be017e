// A question stands where the answer is given: in place of the composer, with the conversation readable above.
import { useEffect, useRef, useState } from "../vendor/preact-htm.js";
import { Diff } from "./diff.js";
import { AnswerForm } from "./form.js";
import { Limit } from "./limit.js";
import { post } from "./net.js";
import { answeredHere, label, state } from "./state.js";
import { has, t } from "./texts.js";
import { Icon, html, isPlain, say, useTick } from "./ui.js";

const KEYS = { once: "Y", session: "S", agent: "A", always: "W", no: "N", never: "V" }; // those of the terminal
const YES = ["once", "session", "agent", "always"], NO = ["no", "never"], KEPT = ["session", "agent", "always"];
const ARMED_AFTER = 600; // what was typed before the question appeared is no answer

// An argument as it is, without the quotes around a text. An escape in it is a warning sign: it stands out.
const Shown = ({ text }) => text.replace(/^"([\s\S]*)"$/, "$1").split(/(\\u[0-9a-f]{4}|\\[\s\S])/).map((bit, i) => i % 2 === 0 || bit === "\\\\" ? bit
  : bit === '\\"' ? '"' : bit === "\\n" ? html`<mark class="nl">\\n</mark><br />` : html`<mark>${bit}</mark>`);

// The question itself: who asks stands above it already.
const asked = ({ text }) => text.replace(/^The (?:agent|tool) .{1,200} asks:\n/, "").replace(/^ {2}/gm, "");

function left(question) {
  const all = Math.max(0, Math.round(question.expires - Date.now() / 1000));
  return all >= 3600 ? `${Math.floor(all / 3600)} h ${Math.floor(all / 60) % 60} min` : `${Math.floor(all / 60)}:${String(all % 60).padStart(2, "0")}`;
}

// What it needs, in words; a need without words is named.
function Needs({ question }) {
  const words = question.needs.map((need) => has("need." + need) ? t("need." + need) : need);
  return html`<p id="ask-why">${t("ask.needs")} ${words.map((one, i) => html`${i > 0 && (i === words.length - 1 ? t("ask.and") : ", ")}<b>${one}</b>`)}.</p>`;
}

function Permission({ question }) {
  // An argument is left out only where the diff shows all of it, as it is.
  const inDiff = question.diff?.more === 0 && isPlain(question.diff.text) ? question.in_diff ?? [] : [];
  const given = Object.keys(question.given ?? {});
  const names = Object.keys(question.arguments).filter((name) => !inDiff.includes(name));
  const listed = names.filter((name) => given.includes(name) || !given.length), rest = names.filter((name) => !listed.includes(name));
  const hidden = [...new Set(names.flatMap((name) => question.arguments[name].match(/(?<=(?:^|[^\\])(?:\\\\)*)\\u[0-9a-f]{4}/g) ?? []))];
  return html`${question.why ? html`<p id="ask-why">${question.why}</p>` : html`<${Needs} question=${question} />`}
    ${listed.length > 0 && html`<dl>${listed.map((name) => html`<dt>${name}</dt><dd><code><${Shown} text=${question.arguments[name]} /></code></dd>`)}</dl>`}
    ${question.diff?.text && html`<${Diff} diff=${question.diff} />`}
    ${hidden.length > 0 && html`<p class="care"><${Icon} name="warn" size="14" /> ${t("ask.hidden")} ${hidden.map((one) => html`<code>${one}</code> `)}</p>`}
    ${question.warnings?.map((text) => html`<p class="care"><${Icon} name="warn" size="14" /> ${text}</p>`)}
    ${rest.length > 0 && html`<p class="faint">${t("ask.defaults", { list: rest.map((name) => `${name} ${question.arguments[name]}`).join(", ") })}</p>`}`;
}

export function Question({ questions }) {
  const [at, setAt] = useState("");
  const [armed, arm] = useState(false);
  const [hint, setHint] = useState("once");
  const [limit, setLimit] = useState({});
  const [problem, setProblem] = useState("");
  const box = useRef();
  useTick(1000);
  const question = questions.find((one) => one.id === at) ?? questions[0];
  const isPermission = question.kind === "permission";
  const session = state.sessions.find((one) => one.id === question.session);
  useEffect(() => {
    arm(false); setProblem(""); setLimit({}); setHint("once");
    const timer = setTimeout(() => arm(true), ARMED_AFTER);
    say(t("ask.said", { agent: question.agent, tool: label(question.tool), count: questions.length }));
    if (!document.activeElement?.value) box.current.focus();
    return () => clearTimeout(timer);
  }, [question.id]);
  const answer = (given) => {
    if (!armed) return;
    answeredHere.add(question.id);
    post(`/questions/${question.id}/answer`, { answer: given, ...(KEPT.includes(given) ? limit : {}) }).catch((error) => { answeredHere.delete(question.id); setProblem(error.message); });
  };
  const keys = (event) => {
    if (!isPermission || event.ctrlKey || event.metaKey || event.altKey || event.repeat || /INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) return;
    const hit = Object.entries(KEYS).find(([name, key]) => key === event.key.toUpperCase() && question.answers.includes(name));
    if (hit) { event.preventDefault(); answer(hit[0]); }
  };
  const button = (name) => question.answers.includes(name) && html`<button type="button" class=${name === "once" ? "primary" : name === "never" ? "quiet-bad" : ""} data-answer=${name} aria-disabled=${!armed} aria-keyshortcuts=${KEYS[name]}
    onClick=${() => answer(name)} onMouseEnter=${() => setHint(name)} onFocus=${() => setHint(name)}>${t("answer." + name)} <kbd>${KEYS[name]}</kbd></button>`;
  return html`<section class="ask" role="alertdialog" aria-labelledby="ask-title" aria-describedby="ask-why" tabindex="-1" ref=${box} onKeyDown=${keys}>
    <header><span class="ask-icon"><${Icon} name=${isPermission ? "shield" : "chat"} size="18" /></span>
      <div class="grow"><h2 id="ask-title"><b>${question.agent}</b> ${isPermission ? html`${t("ask.wants")} <b>${label(question.tool).toLowerCase()}</b>` : t("ask.asks")}</h2>${session?.title && html`<p class="ask-from clip">${session.title}</p>`}</div>
      ${questions.length > 1 && html`<nav class="queue" aria-label=${t("ask.waiting")}>${questions.map((one, i) => html`<button type="button" class="pip" aria-label=${t("ask.queue", { at: i + 1, count: questions.length, tool: label(one.tool) })} aria-current=${one === question} onClick=${() => setAt(one.id)}>${i + 1}</button>`)}</nav>`}</header>
    <div class="ask-body" tabindex="0" role="group" aria-label=${t("ask.body")}>
      ${isPermission ? html`<${Permission} question=${question} />` : html`<p id="ask-why" class="ask-text">${asked(question)}</p><${AnswerForm} key=${question.id} question=${question} answer=${answer} />`}
      ${isPermission && question.answers.includes("always") && html`<${Limit} key=${question.id} question=${question} onLimit=${setLimit} />`}
      ${problem && html`<p class="care" role="alert"><${Icon} name="warn" size="14" /> ${problem}</p>`}
    </div>
    <footer>${isPermission ? html`<div class="row">${YES.map(button)}<span class="grow"></span>${NO.map(button)}</div>` : html`<div class="row plain"><span class="grow"></span><button type="button" onClick=${() => answer(null)}>${t("ask.decline")}</button></div>`}
      <p class="ask-hint"><span>${isPermission ? t(KEPT.includes(hint) ? question.is_ruled && !limit.pattern ? "hint.command" : limit.pattern ? "hint.pattern" : "hint.kept" : hint === "never" ? "hint.never" : "hint.once", { pattern: Object.entries(limit.pattern ?? {}).map((pair) => pair.join(" ")).join(", ") }) : ""}</span><span class="num">${t(question.waits ? "ask.left.waits" : "ask.left", { time: left(question) })}</span></p></footer>
  </section>`;
}
