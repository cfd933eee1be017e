// The side: conversations by day, or the settings, and the places at its foot.
import { useEffect, useState } from "../vendor/preact-htm.js";
import { get } from "./net.js";
import { SessionMenu } from "./session_menu.js";
import { useStore } from "./state.js";
import { t } from "./texts.js";
import { Icon, IconButton, Mark, html, memo } from "./ui.js";

export const SETTINGS = [["tools", "page.tools", "sliders"], ["agents", "page.agents", "agent"], ["models", "page.models", "key"], ["mcp", "page.mcp", "plug"], ["permissions", "page.permissions", "shield"]];

function dayOf(seconds) {
  const day = (time) => Math.floor((time - new Date(time).getTimezoneOffset() * 60000) / 86400000);
  const ago = day(Date.now()) - day(seconds * 1000);
  return ago < 1 ? "day.today" : ago < 2 ? "day.yesterday" : "day.earlier";
}
const byDay = (list) => ["day.today", "day.yesterday", "day.earlier"].map((day) => [day, list.filter((one) => dayOf(one.updated) === day)]).filter(([, found]) => found.length);

const SessionMark = ({ mark }) => mark === "running" ? html`<span class="dot tiny" role="img" aria-label=${t("mark.running")}></span>`
  : mark === "asking" ? html`<span class="badge" role="img" aria-label=${t("mark.asking")}>?</span>`
  : mark === "failed" ? html`<span class="lamp bad" role="img" aria-label=${t("mark.failed")}></span>`
  : mark === "interrupted" ? html`<span class="lamp warn" role="img" aria-label=${t("mark.interrupted")}></span>` : null;

// Conversations with these words in the title or in what was said.
function useFound(find) {
  const [found, set] = useState(null);
  useEffect(() => {
    if (find.trim().length < 2) { set(null); return undefined; }
    let is = true;
    const timer = setTimeout(() => get("/sessions?q=" + encodeURIComponent(find)).then((list) => is && set(list), () => {}), 150);
    return () => { is = false; clearTimeout(timer); };
  }, [find]);
  return found;
}

const Sessions = memo(({ sessions, current, close }) => byDay(sessions).map(([day, list]) => html`<h2 key=${day}>${t(day)}</h2><ul>${list.map((one) => html`<li key=${one.id} class="session"><a href=${"#/chat/" + one.id} aria-current=${one.id === current ? "page" : undefined} onClick=${close}><span class="grow clip">${one.title || t("chat.untitled")}${one.excerpt && html`<small class="clip">${one.excerpt}</small>`}</span><${SessionMark} mark=${one.mark} /></a><${SessionMenu} session=${one} small /></li>`)}</ul>`));

export function Side({ at, close, palette }) {
  const { sessions, questions } = useStore();
  const [find, setFind] = useState("");
  const found = useFound(find);
  const inSettings = SETTINGS.some(([id]) => id === at[0]);
  const go = (to, name, icon, current, count) => html`<a href=${"#/" + to} aria-current=${current ? "page" : undefined} onClick=${close}><${Icon} name=${icon} /><span class="grow">${t(name)}</span>${count > 0 && html`<span class="badge" aria-label=${t("ask.count", { count })}>${count}</span>`}</a>`;
  return html`<div class="side-in">
    <div class="brand"><a href="#/chat" aria-label=${t("home")} onClick=${close}><${Mark} /><b>OneClaw</b></a><span class="grow"></span><${IconButton} icon="search" label=${t("palette")} keys="Ctrl K" onClick=${() => { close(); palette(); }} /></div>
    ${inSettings ? html`<nav aria-label=${t("settings")} class="side-nav"><a href="#/chat" class="back" onClick=${close}><${Icon} name="left" /> ${t("back")}</a>${SETTINGS.map(([id, name, icon]) => go(id, name, icon, at[0] === id))}</nav><span class="grow"></span>`
      : html`<div class="row new"><a class="button grow" href="#/chat" onClick=${close}><${Icon} name="plus" /> ${t("chat.new")}</a></div>
        ${sessions.length > 6 && html`<label class="field search side-find"><${Icon} name="search" /><span class="sr">${t("chat.search")}</span><input type="search" placeholder=${t("chat.search")} value=${find} onInput=${(event) => setFind(event.target.value)} /></label>`}
        <nav aria-label=${t("chats")} class="sessions">${found?.length === 0 ? html`<p class="none" role="status">${t("none")}</p>` : sessions.length ? html`<${Sessions} sessions=${found ?? sessions} current=${at[1]} close=${close} />` : html`<p class="none">${t("chats.none")}</p>`}</nav>`}
    <nav aria-label=${t("places")} class="side-nav foot">${go("runs", "page.runs", "list", at[0] === "runs", questions.length)}${go("tools", "settings", "sliders", inSettings)}</nav>
  </div>`;
}
