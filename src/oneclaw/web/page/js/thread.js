// The turns of a conversation, from the end: older ones are read when one scrolls up to them.
import { useEffect, useLayoutEffect, useRef, useState } from "../vendor/preact-htm.js";
import { post } from "./net.js";
import { Pulse } from "./pulse.js";
import { attempt, loadOlder } from "./state.js";
import { t } from "./texts.js";
import { Answer, Said } from "./turns.js";
import { Icon, html } from "./ui.js";

const NEAR_END = 48, NEAR_TOP = 600;
const FIRST = 24, MORE = 24; // turns that stand on the page at first, and that come with each look further up

export function Thread({ id, chat, edit, again, goOn }) {
  const box = useRef(), stick = useRef(true), height = useRef(0);
  const [away, setAway] = useState(false);
  const [most, setMost] = useState(FIRST);
  const shown = chat.turns.slice(-most), hidden = chat.turns.length - shown.length;
  const onScroll = () => {
    if (!box.current) return;
    const { scrollHeight, scrollTop, clientHeight } = box.current;
    stick.current = scrollHeight - scrollTop - clientHeight < NEAR_END;
    setAway(!stick.current);
    if (scrollTop < NEAR_TOP) reach();
  };
  const reach = () => {
    if (hidden > 0) setMost(most + MORE);
    else if (chat.before) loadOlder(id).then(() => setMost((now) => now + MORE));
  };
  const toEnd = () => { if (box.current) box.current.scrollTop = box.current.scrollHeight; };
  useLayoutEffect(() => { if (stick.current) toEnd(); });
  // A question that takes room below, or a picture that arrives, must not hide the end.
  useEffect(() => {
    const watcher = new ResizeObserver(() => { if (stick.current) toEnd(); });
    watcher.observe(box.current); watcher.observe(box.current.firstElementChild);
    return () => watcher.disconnect();
  }, []);
  // What comes above must not push away what is being read.
  useLayoutEffect(() => {
    const now = box.current.scrollHeight;
    if (!stick.current && height.current && box.current.scrollTop < NEAR_TOP) box.current.scrollTop += now - height.current;
    height.current = now;
  }, [shown.length]);
  useEffect(() => { if (box.current.scrollHeight <= box.current.clientHeight) reach(); }, [shown.length, chat.before]);
  const last = chat.turns.length - 1, first = chat.turns.length - shown.length;
  const canRepeat = !chat.running && chat.turns.findLast((turn) => turn.who === "user")?.starts;
  return html`<div class="thread-box"><div class="thread" ref=${box} onScroll=${onScroll} tabindex="0" role="log" aria-live="off" aria-busy=${Boolean(chat.loadingOlder)} aria-label=${t("chat.log")}><div class="column">
    ${(hidden > 0 || chat.before > 0) && html`<button type="button" class="ghost small earlier" onClick=${reach}>${t("chat.earlier")}</button>`}
    ${shown.map((turn, i) => {
      const at = first + i;
      if (turn.who === "user") return html`<${Said} key=${turn.key} turn=${turn} edit=${edit} />`;
      return html`<${Answer} key=${turn.key} turn=${turn} live=${chat.running && at === last} older=${at < last - 1} again=${at === last && canRepeat ? again : null} goOn=${at === last && !chat.running ? goOn : null} />`;
    })}
    ${chat.running && html`<${Pulse} turn=${chat.turns[last]} />`}
    ${chat.queued.map((one) => html`<article class="said queued" key=${one.id} aria-label=${t("queued.label")}><div class="bubble">${one.text}</div><div class="acts shown"><button type="button" class="ghost small" title=${t("queued.label")} onClick=${() => attempt(post(`/runs/${one.run}/withdraw`, { message: one.id }))}>${t("queued.withdraw")}</button></div></article>`)}
    </div></div>
    ${away && html`<button type="button" class="to-end" onClick=${toEnd}><${Icon} name="down" /> ${t("chat.end")}</button>`}</div>`;
}
