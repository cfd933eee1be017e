// The keys of the page, and the list of them.
import { t } from "./texts.js";
import { Dialog, html } from "./ui.js";

export const KEYS = [["Ctrl K", "palette"], ["Ctrl Shift O", "chat.new"], ["Ctrl Shift E", "calls.all"], ["/", "keys.composer"], ["Enter", "composer.send"], ["Shift Enter", "keys.line"], ["Esc", "keys.escape"], ["Y S A W N V", "keys.answers"], ["?", "keys"]];

const isWriting = () => /INPUT|TEXTAREA|SELECT/.test(document.activeElement?.tagName);

// Opens every call, or closes every one when all are open.
export function flipCalls() {
  const heads = (open) => [...document.querySelectorAll(`.call-head[aria-expanded="${open}"]`)];
  (heads(false).length ? heads(false) : heads(true)).forEach((head) => head.click());
}

// What a key press does, if it does anything; `acts` has a function by the name of each act.
export function actOf(event, acts) {
  const key = event.key.toLowerCase(), ctrl = event.ctrlKey || event.metaKey;
  if (ctrl && !event.shiftKey && key === "k") return acts.palette;
  if (ctrl && event.shiftKey && key === "o") return acts.fresh;
  if (ctrl && event.shiftKey && key === "e") return flipCalls;
  if (ctrl || event.altKey || isWriting() || document.querySelector("dialog[open]")) return null;
  if (key === "/") return acts.compose;
  return event.key === "?" ? acts.keys : null;
}

export const KeyMap = ({ close }) => html`<${Dialog} title=${t("keys")} close=${close}><dl class="key-list">${KEYS.map(([keys, name]) => html`<dt>${keys.split(" ").map((key) => html`<kbd>${key}</kbd> `)}</dt><dd>${t(name)}</dd>`)}</dl></>`;
