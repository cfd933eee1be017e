// Browser notifications, asked for once by a click: a run has ended or a question waits while the tab is hidden.
import { label, onEvent, state } from "./state.js";
import { t } from "./texts.js";

export const canNotify = "Notification" in window;
export const isAllowed = () => canNotify && Notification.permission === "granted";
export const isAsked = () => canNotify && Notification.permission !== "default";
export const askToNotify = () => Notification.requestPermission();

const titleOf = (session) => state.sessions.find((one) => one.id === session)?.title ?? "OneClaw";

function tell(title, body, session) {
  if (!document.hidden || !isAllowed()) return;
  const shown = new Notification(title, { body, tag: session, icon: "/page/img/mark.svg" });
  shown.onclick = () => { focus(); location.hash = "#/chat/" + session; shown.close(); };
}

const asked = new Set();
export function watchQuestions() {
  for (const one of state.questions) if (!asked.has(one.id)) { asked.add(one.id); tell(t("notify.asks", { agent: one.agent, tool: label(one.tool) }), titleOf(one.session), one.session); }
}
export const watchRuns = () => onEvent((event, session) => { if (event.event === "run_finished" && !event.parent_run && session) tell(t(event.reason === "failed" ? "notify.failed" : "notify.done"), titleOf(session), session); });
