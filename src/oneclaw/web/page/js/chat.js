// The screen of a conversation: its bar, the thread, and the composer or a question in its place.
import { useEffect, useMemo, useRef, useState } from "../vendor/preact-htm.js";
import { Composer } from "./composer.js";
import { Fresh } from "./fresh.js";
import { post } from "./net.js";
import { Question } from "./question.js";
import { SessionMenu } from "./session_menu.js";
import { attempt, changed, loadSessions, useStore, watch } from "./state.js";
import { t } from "./texts.js";
import { Thread } from "./thread.js";
import { written } from "./turns.js";
import { Icon, IconButton, html, say } from "./ui.js";

const NONE = { turns: [], queued: [], running: false, loaded: true };

export function Chat({ id, menu }) {
  const { chats, questions, sessions, settled, problem, agent } = useStore();
  const [closed, close] = useState("");
  useEffect(() => { if (id) attempt(watch(id)); }, [id]);
  const chat = id ? chats[id] ?? { ...NONE, loaded: false } : NONE;
  const now = useRef(chat);
  now.current = chat;
  const session = sessions.find((one) => one.id === id);
  const own = questions.filter((one) => !id || one.session === id || chat.turns.some((turn) => turn.run === one.run));
  const waiting = [...own, ...questions.filter((one) => !own.includes(one))];
  const isAsked = own.length > 0;
  useEffect(() => { if (!chat.running && chat.turns.at(-1)?.done) say(t("chat.finished")); }, [chat.running]);
  // A conversation has one agent: another one is talked to in a new one.
  const onAgent = (name) => { changed({ agent: name }); if (id) location.hash = "#/chat"; };
  const onSend = async (text, { model = "", files = [], message = crypto.randomUUID(), session: to = id ?? "" }) => {
    changed({ problem: "" });
    const body = { id: message, text, session: to, agent: to ? "" : id ? now.current.agent : agent, model, ...(files.length && { files }) };
    const sent = await post("/messages", body);
    if (sent.session !== id) { location.hash = "#/chat/" + sent.session; loadSessions(); }
  };
  // A message that is changed begins a session of its own; the earlier version stays.
  const edit = useMemo(() => (turn, text, files) => attempt((async () => {
    const made = await post(`/sessions/${id}/fork`, { run: turn.run, number: turn.number });
    await onSend(text, { model: now.current.model, files, session: made.id });
  })()), [id]);
  const again = useMemo(() => () => { const turn = now.current.turns.findLast((one) => one.who === "user"), said = written(turn.text); edit(turn, said.text, said.files); }, [edit]);
  const onStop = () => attempt(post(`/runs/${now.current.run}/stop`));
  const goOn = useMemo(() => () => attempt(post(`/runs/${now.current.run}/resume`)), [id]);
  useEffect(() => {
    const stop = (event) => { if (event.key === "Escape" && !event.defaultPrevented && now.current.running && !document.querySelector("dialog[open], .side.open, .editing")) onStop(); };
    addEventListener("keydown", stop);
    return () => removeEventListener("keydown", stop);
  }, []);
  const cost = chat.before ? session?.cost ?? 0 : chat.turns.reduce((sum, turn) => sum + (turn.cost ?? 0), 0);
  const failed = chat.turns.at(-1)?.switched;
  return html`<div class="chat">
    ${failed && closed !== failed.reason && html`<div class="banner bad" role="alert"><${Icon} name="warn" /><span class="grow"><b>${t("chat.switched", { model: failed.failed })}</b> (${failed.reason}) ${t("chat.switched.to", { model: failed.model })}</span><${IconButton} icon="x" label=${t("close")} onClick=${() => close(failed.reason)} /></div>`}
    <header class="bar"><div class="narrow">${menu}</div><h1 class="clip">${session?.title || t("chat.new")}</h1><span class="bar-about clip">${[chat.agent, chat.model].filter(Boolean).join(" · ")}</span><span class="grow"></span>
      <a class="ghost icon button narrow" href="#/chat" aria-label=${t("chat.new")} title=${t("chat.new")}><${Icon} name="plus" /></a>
      ${id && html`<${SessionMenu} session=${{ id, title: session?.title ?? "" }} />`}</header>
    <div class="work"><section class="talk" aria-label=${t("chat.log")}>
      ${chat.turns.length ? html`<${Thread} id=${id} chat=${chat} edit=${edit} again=${again} goOn=${goOn} />` : html`<div class="thread-box">${!id && html`<${Fresh} onSend=${(text) => attempt(onSend(text, {}))} />`}</div>`}
      <div class="dock"><div class="column">
        ${settled && html`<p class="note settled" role="status"><${Icon} name="check" size="14" /> ${settled}</p>`}
        ${problem && html`<p class="note bad row" role="alert"><${Icon} name="warn" size="14" /> <span class="grow">${problem}</span><${IconButton} icon="x" label=${t("close")} onClick=${() => changed({ problem: "" })} /></p>`}
        ${isAsked && html`<${Question} questions=${waiting} />`}
        <div hidden=${isAsked}><${Composer} running=${chat.running} cost=${cost} agent=${id ? chat.agent || session?.agent : agent} onAgent=${onAgent} model=${chat.model} onSend=${onSend} onStop=${onStop} /></div>
      </div></div>
    </section></div></div>`;
}
