// The conversation: turns, the pulsing line, queued messages, the composer.
import { useEffect, useLayoutEffect, useRef, useState } from "../vendor/preact-htm.js";
import { Calls, DraftCard, fold } from "./cards.js";
import { Markdown } from "./markdown.js";
import { post } from "./net.js";
import { Question } from "./question.js";
import { changed, label, loadSessions, state, useStore, watch } from "./state.js";
import { t } from "./texts.js";
import { Icon, IconButton, html, number, say, seconds, useTick } from "./ui.js";

const Thought = ({ text, live }) => html`<details class="thought" open=${live}><summary><${Icon} name="right" size="13" /> ${live ? t("wait.0") : "Thought"}</summary><p>${text}</p></details>`;

export const usageLine = (turn) => [
  turn.usage?.input > 0 && t("usage.read", { count: number(turn.usage.input) }),
  turn.usage?.output > 0 && t("usage.written", { count: number(turn.usage.output) }),
  turn.usage?.cached > 0 && t("usage.cached", { count: number(turn.usage.cached) }),
  turn.cost != null && `$${turn.cost.toFixed(3)}`,
  turn.seconds > 0 && seconds(turn.seconds),
].filter(Boolean).join(" · ");

const words = (turn) => turn.parts.filter((part) => part.type === "text").map((part) => part.text).join("\n\n");
const copy = (text) => navigator.clipboard?.writeText(text);
const speak = (text) => { speechSynthesis.cancel(); speechSynthesis.speak(new SpeechSynthesisUtterance(text)); };
const attempt = (work) => work.catch((error) => changed({ problem: error.message }));

function Said({ turn, edit }) {
  return html`<article class="said" aria-label="You"><div class="bubble">${turn.text}</div>
    <div class="acts"><${IconButton} icon="edit" label=${t("chat.edit")} onClick=${() => edit(turn.text)} /><${IconButton} icon="copy" label=${t("chat.copy")} onClick=${() => copy(turn.text)} /></div></article>`;
}

function Answer({ turn, calls, live, older, again }) {
  return html`<article class="answer" aria-label=${"Answer of " + turn.agent}>
    ${turn.note && html`<p class="note">${turn.note}</p>`}
    ${(older ? fold(turn.parts, calls) : turn.parts).map((part, i) => part.type === "text" ? html`<${Markdown} key=${i} text=${part.text} />`
      : part.type === "thought" ? html`<${Thought} key=${i} text=${part.text} live=${live && part.live} />`
      : part.type === "draft" ? html`<${DraftCard} key=${i} part=${part} />`
      : html`<${Calls} key=${i} ids=${part.ids} calls=${calls} folded=${part.folded} />`)}
    ${turn.done && turn.error && html`<p class="note bad" role="alert"><${Icon} name="warn" size="14" /> ${turn.error}</p>`}
    ${turn.done && html`<footer class="after"><span class="usage">${usageLine(turn)}</span><div class="acts"><${IconButton} icon="copy" label=${t("chat.copy")} onClick=${() => copy(words(turn))} /><${IconButton} icon="chat" label=${t("chat.speak")} onClick=${() => speak(words(turn))} />${again && html`<${IconButton} icon="retry" label=${t("chat.again")} onClick=${again} />`}</div></footer>`}
  </article>`;
}

function Pulse({ chat }) {
  const tick = useTick(3000, true);
  const busy = Object.values(chat.calls).filter((call) => call.status === "executing" && !call.parent);
  const summary = busy.length === 0 ? "" : ` · ${busy.length === 1 ? busy[0].label || label(busy[0].tool) : t("wait.tools", { count: busy.length })}`;
  return html`<p class="pulse"><span class="dot"></span><span>${t("wait." + (tick % 3))}${summary}</span></p>`;
}

function Thread({ chat, edit, again }) {
  const box = useRef(), stick = useRef(true);
  const [away, setAway] = useState(false);
  const scrolled = () => {
    const isAtEnd = box.current.scrollHeight - box.current.scrollTop - box.current.clientHeight < 48;
    stick.current = isAtEnd;
    setAway(!isAtEnd);
  };
  const toEnd = () => { box.current.scrollTop = box.current.scrollHeight; };
  useLayoutEffect(() => { if (stick.current) toEnd(); });
  return html`<div class="thread-box"><div class="thread" ref=${box} onScroll=${scrolled} tabindex="0" role="log" aria-live="off" aria-label="Conversation"><div class="column">
    ${chat.turns.map((turn, i) => turn.who === "user" ? html`<${Said} key=${i} turn=${turn} edit=${edit} />`
      : html`<${Answer} key=${i} turn=${turn} calls=${chat.calls} live=${chat.running && i === chat.turns.length - 1} older=${i < chat.turns.length - 2} again=${i === chat.turns.length - 1 && !chat.running && again} />`)}
    ${chat.running && html`<${Pulse} chat=${chat} />`}
    ${chat.queued.map((one) => html`<article class="said queued" key=${one.id} aria-label=${t("queued.label")}><div class="bubble">${one.text}</div><div class="acts"><button type="button" class="ghost small" onClick=${() => attempt(post(`/runs/${one.run}/withdraw`, { message: one.id }))}>${t("queued.withdraw")}</button></div></article>`)}
    </div></div>
    ${away && html`<button type="button" class="to-end" onClick=${toEnd}><${Icon} name="down" /> ${t("chat.end")}</button>`}</div>`;
}

function Picker({ name, icon, value, options, onPick }) {
  return html`<label class="picker"><span class="sr">${name}</span><${Icon} name=${icon} size="14" /><select value=${value} onChange=${(event) => onPick(event.target.value)}>${options.map(([id, text]) => html`<option value=${id}>${text ?? id}</option>`)}</select><${Icon} name="down" size="12" /></label>`;
}

function Composer({ running, cost, onSend, onStop, area }) {
  const { start } = useStore();
  const [agent, setAgent] = useState("default");
  const [model, setModel] = useState(start.default_model);
  const grow = () => { const box = area.current; box.style.height = "auto"; box.style.height = Math.min(box.scrollHeight, innerHeight * 0.4) + "px"; };
  const send = () => {
    const text = area.current.value.trim();
    if (!text) return;
    area.current.value = ""; grow();
    onSend(text, agent, model).catch((error) => { area.current.value = text; grow(); changed({ problem: error.message }); });
  };
  const keys = (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); send(); }
    if (event.key === "Escape" && running) onStop();
  };
  const models = start.models.filter((one) => !one.model.endsWith("…")).map((one) => [one.model]);
  return html`<form class="composer" onSubmit=${(event) => { event.preventDefault(); send(); }}>
    <label class="sr" for="message">${t("composer.label")}</label>
    <textarea id="message" ref=${area} rows="1" placeholder=${t(running ? "composer.running" : "composer.empty")} onInput=${grow} onKeyDown=${keys}></textarea>
    <div class="composer-row">
      <${Picker} name=${t("composer.agent")} icon="agent" value=${agent} options=${start.agents.map((one) => [one.name])} onPick=${setAgent} />
      <${Picker} name=${t("composer.model")} icon="spark" value=${model} options=${[["", "default model"], ...models]} onPick=${setModel} />
      <span class="grow"></span><span class="usage">${cost ? `$${cost.toFixed(3)}` : ""}</span>
      ${running && html`<button type="button" class="send stop" aria-label=${t("composer.stop")} title=${t("composer.stop") + " (Esc)"} onClick=${onStop}><${Icon} name="stop" /></button>`}
      <button type="submit" class="send" aria-label=${t("composer.send")} title=${t("composer.send") + " (Enter)"}><${Icon} name="up" /></button>
    </div></form>`;
}

export function Chat({ id, menu }) {
  const { chats, questions, sessions, problem } = useStore();
  const area = useRef();
  useEffect(() => watch(id), [id]);
  const chat = chats[id] ?? { turns: [], calls: {}, queued: [], running: false };
  const session = sessions.find((one) => one.id === id);
  const waiting = questions.filter((one) => !id || one.session === id);
  const isRunning = chat.running;
  useEffect(() => { if (chat.turns.at(-1)?.done) say("Answer finished."); }, [isRunning]);
  const onSend = async (text, agent, model) => {
    changed({ problem: "" });
    const sent = await post("/messages", { text, session: id ?? "", agent: id ? "" : agent, model });
    if (!id) { watch(sent.session); location.hash = "#/chat/" + sent.session; loadSessions(); }
  };
  const onStop = () => attempt(post(`/runs/${chat.run}/stop`));
  const edit = (text) => { area.current.value = text; area.current.focus(); };
  const lastSaid = chat.turns.findLast((turn) => turn.who === "user");
  const again = () => lastSaid && attempt(onSend(lastSaid.text, "", ""));
  const act = async (verb) => {
    if (verb === "rename") { const title = prompt(t("chat.rename.ask"), session?.title); if (title) await post(`/sessions/${id}/rename`, { title }); }
    if (verb === "fork") { const made = await post(`/sessions/${id}/fork`); location.hash = "#/chat/" + made.id; }
    if (verb === "remove" && confirm(t("chat.remove.ask"))) { await post(`/sessions/${id}/remove`); location.hash = "#/chat"; }
    await loadSessions();
  };
  return html`<div class="chat">
    <header class="bar"><div class="narrow">${menu}</div><h1 class="clip">${session?.title || t("chat.new")}</h1><span class="bar-about clip">${[chat.agent, chat.model].filter(Boolean).join(" · ")}</span><span class="grow"></span>
      ${id && ["rename", "fork", "remove"].map((verb) => html`<${IconButton} icon=${{ rename: "edit", fork: "copy", remove: "trash" }[verb]} label=${t("chat." + verb)} onClick=${() => attempt(act(verb))} />`)}</header>
    <div class="work"><section class="talk" aria-label="Conversation">
      ${chat.turns.length ? html`<${Thread} chat=${chat} edit=${edit} again=${again} />` : html`<div class="thread-box"><div class="fresh"><h2>${id ? "" : t("chat.fresh")}</h2></div></div>`}
      <div class="dock"><div class="column">
        ${problem && html`<p class="note bad" role="alert"><${Icon} name="warn" size="14" /> ${problem}</p>`}
        ${waiting.length > 0 && html`<${Question} questions=${waiting} />`}
        <div hidden=${waiting.length > 0}><${Composer} running=${isRunning} cost=${chat.turns.reduce((sum, turn) => sum + (turn.cost ?? 0), 0)} onSend=${onSend} onStop=${onStop} area=${area} /></div>
      </div></div>
    </section></div></div>`;
}
