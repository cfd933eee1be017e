// What the page knows, and how it learns it. Components read `state` and are drawn again when it changes.
import { useEffect, useState } from "../vendor/preact-htm.js";
import { apply, empty } from "./events.js";
import { connect, get } from "./net.js";

export const state = { start: null, sessions: [], questions: [], chats: {}, offline: 0, problem: "" };
const listeners = new Set();
let frame = 0;

// Painted once a frame, however many events came.
export function changed(part) {
  Object.assign(state, part);
  frame ||= requestAnimationFrame(() => { frame = 0; for (const listener of listeners) listener(); });
}
export function useStore() {
  const [, draw] = useState(0);
  useEffect(() => { const listener = () => draw((n) => n + 1); listeners.add(listener); return () => listeners.delete(listener); }, []);
  return state;
}

export const loadSessions = async () => changed({ sessions: await get("/sessions") });
export const loadStart = async () => changed({ start: await get("/start") });
export const label = (tool) => state.start?.labels[tool] ?? tool;

const cursors = () => Object.fromEntries(Object.entries(state.chats).map(([id, chat]) => [id, { run: chat.run, after: chat.at }]));

function heard(message) {
  if (message.events) {
    const chats = { ...state.chats };
    for (const event of message.events) {
      const session = event.parent_run ? null : event.session;
      if (session && chats[session]) chats[session] = apply(chats[session], event);
    }
    changed({ chats });
  }
  if (message.questions) changed({ questions: message.questions });
  if (message.changed === "sessions") loadSessions().catch(() => {});
}

let line = null;
export function open() { line = connect(cursors, heard, (offline) => changed({ offline })); }
export const retry = () => line?.retry();
export function watch(session) {
  if (!session || state.chats[session]) return;
  changed({ chats: { ...state.chats, [session]: empty() } });
  line?.watch();
}
