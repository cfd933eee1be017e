// The palette: do something, go somewhere, find a conversation. Everything in it can be reached otherwise too.
import { useEffect, useLayoutEffect, useRef, useState } from "../vendor/preact-htm.js";
import { useStore } from "./state.js";
import { t } from "./texts.js";
import { Icon, html } from "./ui.js";

const MOST = 14;

export function Palette({ close, actions, places }) {
  const { sessions } = useStore();
  const box = useRef();
  const [find, setFind] = useState("");
  const [at, setAt] = useState(0);
  useLayoutEffect(() => { box.current.showModal(); }, []); // at once: the next key belongs to it
  const all = [...actions.map((one) => ({ kind: "palette.do", ...one })), ...places.map((one) => ({ kind: "palette.go", ...one })), ...sessions.map((one) => ({ kind: "chats", name: one.title || t("chat.untitled"), icon: "chat", run: () => { location.hash = "#/chat/" + one.id; } }))];
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = all.filter((one) => words.every((word) => one.name.toLowerCase().includes(word))).slice(0, MOST);
  const run = (one) => { box.current.close(); one.run(); };
  const keys = (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") { event.preventDefault(); if (shown.length) setAt((at + (event.key === "ArrowDown" ? 1 : shown.length - 1)) % shown.length); }
    if (event.key === "Enter" && shown[at]) { event.preventDefault(); run(shown[at]); }
  };
  useEffect(() => { document.getElementById("hit-" + at)?.scrollIntoView({ block: "nearest" }); }, [at]);
  return html`<dialog class="palette" ref=${box} aria-label=${t("palette")} onClose=${close} onClick=${(event) => event.target === box.current && box.current.close()}>
    <label class="palette-find"><${Icon} name="search" /><span class="sr">${t("palette")}</span><input role="combobox" aria-expanded="true" aria-controls="hits" aria-activedescendant=${shown.length ? "hit-" + at : undefined} placeholder=${t("palette.hint")} value=${find} onInput=${(event) => { setFind(event.target.value); setAt(0); }} onKeyDown=${keys} /><kbd>Esc</kbd></label>
    <ul id="hits" role="listbox" aria-label=${t("palette.hits")}>${shown.map((one, i) => html`${(i === 0 || shown[i - 1].kind !== one.kind) && html`<li class="kind" role="presentation">${t(one.kind)}</li>`}<li id=${"hit-" + i} role="option" aria-selected=${i === at} onMouseMove=${() => setAt(i)} onClick=${() => run(one)}><${Icon} name=${one.icon} /><span class="grow clip">${one.name}</span>${one.keys && html`<kbd>${one.keys}</kbd>`}</li>`)}</ul>
    ${shown.length === 0 && html`<p class="kind none" role="status">${t("palette.none")}</p>`}</dialog>`;
}
