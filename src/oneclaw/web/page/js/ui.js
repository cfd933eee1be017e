// The small parts every screen is made of.
import { Component, html, useEffect, useLayoutEffect, useRef, useState } from "../vendor/preact-htm.js";
import { Icon, Mark, iconOf } from "./icons.js";

import { t } from "./texts.js";

export { Icon, Mark, html, iconOf };

export const IconButton = ({ icon, label, keys, class: more = "", ...rest }) =>
  html`<button type="button" class=${"ghost icon " + more} aria-label=${label} title=${keys ? `${label} (${keys})` : label} ...${rest}><${Icon} name=${icon} /></button>`;

export const Switch = ({ on, label, disabled, onChange }) =>
  html`<input type="checkbox" role="switch" class="switch" checked=${on} disabled=${disabled} aria-label=${label} onChange=${onChange} />`;

export const Chip = ({ tone = "", icon, children }) => html`<span class=${"chip " + tone}>${icon && html`<${Icon} name=${icon} size="13" />`}${children}</span>`;

export const Empty = ({ icon, title, children, action }) =>
  html`<div class="empty"><span class="empty-icon"><${Icon} name=${icon} size="22" /></span><h2>${title}</h2><p>${children}</p>${action}</div>`;

export const Page = ({ title, lead, actions, children, wide }) =>
  html`<div class="page" tabindex="0" role="region" aria-label=${title}><div class=${"page-in" + (wide ? " wide" : "")}>
    <header class="page-head"><div><h1>${title}</h1>${lead && html`<p class="lead">${lead}</p>`}</div>${actions && html`<div class="row">${actions}</div>`}</header>
    ${children}</div></div>`;

// Draws again only when what it is given is another thing: a finished turn is drawn once.
export const memo = (Inner) => class extends Component {
  shouldComponentUpdate(next) { return Object.keys(next).some((name) => next[name] !== this.props[name]); }
  render() { return html`<${Inner} ...${this.props} />`; }
};

export const Field = ({ name, about, hidden, children }) => html`<label class="field"><span class=${hidden ? "sr" : ""}>${name}</span>${children}${about && html`<small>${about}</small>`}</label>`;

export const Search = ({ name, value, onInput }) => html`<label class="field search"><${Icon} name="search" /><span class="sr">${name}</span><input type="search" placeholder=${name} value=${value} onInput=${(event) => onInput(event.target.value)} /></label>`;

// A small window over the page; Escape and a click beside it close it.
export function Dialog({ title, close, children }) {
  const box = useRef();
  useLayoutEffect(() => { if (!box.current.open) box.current.showModal(); }, []);
  return html`<dialog class="dialog" ref=${box} aria-label=${title} onClose=${close} onClick=${(event) => event.target === box.current && box.current.close()}><div class="dialog-in"><h2>${title}</h2>${children}</div></dialog>`;
}

export const say = (text) => { document.getElementById("say").textContent = text; };

export function useTick(every, on = true) {
  const [now, set] = useState(0);
  useEffect(() => {
    if (!on) return;
    const timer = setInterval(() => set((n) => n + 1), every);
    return () => clearInterval(timer);
  }, [every, on]);
  return now;
}

export const seconds = (s) => s < 0.0095 ? "<10 ms" : s < 0.995 ? `${Math.round(s * 1000)} ms` : s < 60 ? `${s.toFixed(1)} s` : `${Math.floor(s / 60)} min ${Math.round(s % 60)} s`;
export const number = (n) => n.toLocaleString("en");

export const money = (dollars) => `$${dollars.toFixed(dollars < 0.0995 ? 3 : 2)}`;
export const copy = (text) => { navigator.clipboard?.writeText(text); say(t("copied")); };

// Characters that nobody sees, or that turn the direction of a text, are written as escapes.
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/u, HIDDEN_ALL = /(?![\n\t])[\p{C}\p{Zl}\p{Zp}]/gu;
export const isPlain = (text) => !HIDDEN.test(text.replace(/[\n\t]/g, ""));
export const visible = (text) => text.replace(/\r\n/g, "\n").replace(HIDDEN_ALL, (sign) => "\\u" + sign.codePointAt(0).toString(16).padStart(4, "0"));
