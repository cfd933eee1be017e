// What the page knows, and how it learns it. Components read `state` and are drawn again when it changes.
import { useEffect, useState } from "../vendor/preact-htm.js";
import { apply, empty, interrupt, prepend } from "./events.js";
import { connect, get } from "./net.js";
import { t } from "./texts.js";

const HIDDEN_WAIT = 200; // milliseconds
const FIRST_RUNS = 12; // as many as stand on the page at first
const MOST_CHATS = 6; // conversations held at once; one that is opened again is read again

export const state = { start: null, sessions: [], questions: [], settled: null, chats: {}, offline: 0, problem: "", agent: "default" };
const listeners = new Set();
let frame = 0;

// Painted once a frame, however many events came. A hidden tab has no frames: it is told a moment later.
export function changed(part) {
  Object.assign(state, part);
  if (frame) return;
  let timer = 0;
  const draw = () => { cancelAnimationFrame(frame); clearTimeout(timer); frame = 0; for (const listener of [...listeners]) listener(); };
  frame = requestAnimationFrame(draw);
  timer = setTimeout(draw, HIDDEN_WAIT);
}
export function useStore() {
  const [, draw] = useState(0);
  useEffect(() => { const listener = () => draw((n) => n + 1); listeners.add(listener); return () => listeners.delete(listener); }, []);
  return state;
}

export const loadSessions = async () => changed({ sessions: await get("/sessions") });
export const loadStart = async () => changed({ start: await get(`/start?language=${encodeURIComponent(navigator.language.split("-")[0])}`) });
export const label = (tool, told) => state.start?.labels[tool] || told || tool;
export const fail = (error) => changed({ problem: error.message });
export const attempt = (work) => work.catch(fail);

const cursors = () => Object.fromEntries(Object.entries(state.chats).filter(([, chat]) => chat.loaded).map(([id, chat]) => [id, { run: chat.run, after: chat.at }]));

const sessionOf = new Map(); // of a run: the conversation it is shown in
function place(event) {
  const session = event.parent_run ? sessionOf.get(event.parent_run) : event.session;
  if (session && !sessionOf.has(event.run)) sessionOf.set(event.run, session);
  return session;
}

// A question that another tab or the terminal answered leaves, and it is said how.
export const answeredHere = new Set();
let settling = 0;
function settle(event) {
  if (event.event !== "question_answered" || answeredHere.has(event.question_id) || !state.questions.some((one) => one.id === event.question_id)) return;
  const { answer } = event;
  clearTimeout(settling);
  settling = setTimeout(() => changed({ settled: null }), 6000);
  changed({ settled: t(["once", "session", "agent", "always"].includes(answer) ? "settled.yes" : ["no", "never"].includes(answer) ? "settled.no" : answer === "answered" ? "settled.other" : "settled.gone") });
}

const heardBy = new Set();
export const onEvent = (listener) => { heardBy.add(listener); return () => heardBy.delete(listener); };

function heard(message) {
  if (message.events) {
    const chats = { ...state.chats };
    for (const event of message.events) {
      const session = place(event);
      if (chats[session]) chats[session] = apply(chats[session], event);
      settle(event);
      for (const listener of heardBy) listener(event, session);
    }
    changed({ chats });
  }
  if (message.questions) changed({ questions: message.questions });
  if (message.changed === "sessions") loadSessions().then(noteInterrupted).catch(() => {});
}

// A run of a program that died is interrupted; no event says so.
function noteInterrupted() {
  for (const one of state.sessions) if (one.mark === "interrupted" && state.chats[one.id]?.running) replace(one.id, interrupt(state.chats[one.id], [state.chats[one.id].run]));
}

const replace = (id, chat) => changed({ chats: { ...state.chats, [id]: chat } });
const fold = (page) => page.events.reduce((chat, event) => { place(event); return apply(chat, event); }, empty());

let line = null;
export function open() { line = connect(cursors, heard, (offline) => changed({ offline })); }
export const retry = () => line?.retry();

// Reads the end of a conversation, then follows it.
export async function watch(session) {
  if (!session || state.chats[session]) return;
  const kept = Object.entries(state.chats).slice(1 - MOST_CHATS);
  changed({ chats: { ...Object.fromEntries(kept), [session]: empty() } });
  const page = await get(`/sessions/${session}/history?runs=${FIRST_RUNS}`);
  replace(session, { ...interrupt({ ...fold(page), run: page.run, at: page.after, before: page.before }, page.interrupted), loaded: true });
  line?.watch();
}

// The turns before those that are shown.
export async function loadOlder(session) {
  const chat = state.chats[session];
  if (!chat?.before || chat.loadingOlder) return;
  replace(session, { ...chat, loadingOlder: true });
  const page = await get(`/sessions/${session}/history?before=${chat.before}`).catch((error) => { fail(error); return null; });
  const now = state.chats[session];
  if (now) replace(session, { ...(page ? prepend(now, page, interrupt(fold(page), page.interrupted)) : now), loadingOlder: false });
}

export function forget(session) {
  const { [session]: gone, ...chats } = state.chats;
  changed({ chats });
  line?.watch();
}
