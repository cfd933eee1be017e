// A question stands where the answer is given: in place of the composer, with the conversation readable above.
import { useEffect, useRef, useState } from "../vendor/preact-htm.js";
import { Diff } from "./cards.js";
import { post } from "./net.js";
import { label } from "./state.js";
import { t } from "./texts.js";
import { Icon, html, isPlain, say, useTick } from "./ui.js";

const KEYS = { once: "Y", session: "S", agent: "A", always: "W", no: "N", never: "V" }; // those of the terminal
const YES = ["once", "session", "agent", "always"], NO = ["no", "never"];
const ARMED_AFTER = 600; // what was typed before the question appeared is no answer

// An escape in an argument is a warning sign: it stands out.
const Shown = ({ text }) => text.split(/(\\u[0-9a-f]{4}|\\n)/).map((bit, i) => i % 2 ? html`<mark class=${bit === "\\n" ? "nl" : ""}>${bit}</mark>` : bit);

function left(question) {
  const all = Math.max(0, Math.round(question.expires - Date.now() / 1000));
  return all >= 3600 ? `${Math.floor(all / 3600)} h ${Math.floor(all / 60) % 60} min` : `${Math.floor(all / 60)}:${String(all % 60).padStart(2, "0")}`;
}

export function Question({ questions }) {
  const [at, setAt] = useState(0);
  const [armed, arm] = useState(false);
  const [hint, setHint] = useState("once");
  const [problem, setProblem] = useState("");
  const box = useRef();
  useTick(1000);
  const question = questions[Math.min(at, questions.length - 1)];
  const isPermission = question.kind === "permission";
  // An argument is left out only where the diff shows all of it, as it is.
  const shown = question.diff?.more === 0 && isPlain(question.diff.text) ? question.in_diff ?? [] : [];
  useEffect(() => {
    arm(false); setProblem("");
    const timer = setTimeout(() => arm(true), ARMED_AFTER);
    say(`${question.agent} asks: ${label(question.tool)}. ${questions.length} waiting.`);
    if (!document.activeElement?.value) box.current.focus();
    return () => clearTimeout(timer);
  }, [question.id]);
  const answer = (given) => armed && post(`/questions/${question.id}/answer`, { answer: given }).catch((error) => setProblem(error.message));
  const keys = (event) => {
    if (!isPermission || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    const hit = Object.entries(KEYS).find(([name, key]) => key === event.key.toUpperCase() && question.answers.includes(name));
    if (hit) { event.preventDefault(); answer(hit[0]); }
  };
  const button = (name) => question.answers.includes(name) && html`<button type="button" class=${name === "once" ? "primary" : name === "never" ? "quiet-bad" : ""} data-answer=${name} aria-disabled=${!armed} aria-keyshortcuts=${KEYS[name]}
    onClick=${() => answer(name)} onMouseEnter=${() => setHint(name)} onFocus=${() => setHint(name)}>${t("answer." + name)} <kbd>${KEYS[name]}</kbd></button>`;
  return html`<section class="ask" role="alertdialog" aria-labelledby="ask-title" aria-describedby="ask-why" tabindex="-1" ref=${box} onKeyDown=${keys}>
    <header><span class="ask-icon"><${Icon} name=${isPermission ? "shield" : "chat"} size="18" /></span>
      <div class="grow"><h2 id="ask-title"><b>${question.agent}</b> ${isPermission ? html`${t("ask.wants")} <b>${label(question.tool).toLowerCase()}</b>` : t("ask.asks")}</h2></div>
      ${questions.length > 1 && html`<nav class="queue" aria-label="Questions waiting">${questions.map((one, i) => html`<button type="button" class="pip" aria-label=${t("ask.queue", { at: i + 1, count: questions.length })} aria-current=${one === question} onClick=${() => setAt(i)}>${i + 1}</button>`)}</nav>`}</header>
    <div class="ask-body" tabindex="0" role="group" aria-label="Question">
      ${isPermission ? html`<p id="ask-why">${question.why || t("ask.needs", { needs: question.needs.join(", ") })}</p>
        ${question.warnings?.map((text) => html`<p class="care"><${Icon} name="warn" size="14" /> ${text}</p>`)}
        <dl>${Object.entries(question.arguments).filter(([name]) => !shown.includes(name)).map(([name, value]) => html`<dt>${name}</dt><dd><code><${Shown} text=${value} /></code></dd>`)}</dl>
        ${question.diff?.text && html`<${Diff} diff=${question.diff} />`}` : html`<p id="ask-why">${question.text}</p><${Fields} key=${question.id} question=${question} answer=${answer} />`}
      ${problem && html`<p class="care" role="alert"><${Icon} name="warn" size="14" /> ${problem}</p>`}
    </div>
    <footer>${isPermission ? html`<div class="row">${YES.map(button)}<span class="grow"></span>${NO.map(button)}</div>` : html`<div class="row"><span class="grow"></span><button type="button" onClick=${() => answer(null)}>${t("ask.decline")}</button></div>`}
      <p class="ask-hint"><span>${isPermission ? t(["session", "agent", "always"].includes(hint) ? "hint.kept" : hint === "never" ? "hint.never" : "hint.once") : ""}</span><span class="num">${t("ask.left", { time: left(question) })}</span></p></footer>
  </section>`;
}

// The answer to a choice, a text or a form.
function Fields({ question, answer }) {
  const send = (event) => {
    event.preventDefault();
    const data = new FormData(event.target);
    answer(question.kind === "text" ? data.get("text") : Object.fromEntries([...data].filter(([, value]) => value !== "")));
  };
  if (question.kind === "choice") return html`<div class="row wrap choices">${question.answers.map((text) => html`<button type="button" onClick=${() => answer(text)}>${text}</button>`)}</div>`;
  const fields = Object.entries(question.schema?.properties ?? {});
  return html`<form class="ask-form" onSubmit=${send}>
    ${question.kind === "text" ? html`<label class="field"><span class="sr">${t("ask.answer")}</span><textarea name="text" rows="3" required></textarea></label>`
      : fields.map(([name, schema]) => html`<label class="field" key=${name}><span>${schema.title ?? name}</span>${schema.enum
        ? html`<select name=${name}>${schema.enum.map((value) => html`<option selected=${value === schema.default}>${value}</option>`)}</select>`
        : html`<input name=${name} type=${["number", "integer"].includes(schema.type) ? "number" : "text"} step="any" defaultValue=${schema.default ?? ""} required=${question.schema.required?.includes(name)} />`}${schema.description && html`<small>${schema.description}</small>`}</label>`)}
    <button type="submit" class="primary">${t("ask.answer")}</button></form>`;
}
