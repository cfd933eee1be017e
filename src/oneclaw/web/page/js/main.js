// The frame: where we are, the side, the banner, the keys.
import { render, useEffect, useState } from "../vendor/preact-htm.js";
import { Chat } from "./chat.js";
import { logIn } from "./net.js";
import { Agents, Grants, Models, Runs, Tools } from "./pages.js";
import { Question } from "./question.js";
import { changed, loadSessions, loadStart, open, retry, useStore } from "./state.js";
import { t } from "./texts.js";
import { Icon, IconButton, Mark, html } from "./ui.js";

const PLACES = [["runs", "page.runs", "list"], ["tools", "page.tools", "sliders"], ["agents", "page.agents", "agent"], ["models", "page.models", "key"], ["grants", "page.grants", "shield"]];
const PAGES = { runs: Runs, tools: Tools, agents: Agents, models: Models, grants: Grants };

function useRoute() {
  const read = () => location.hash.slice(2).split("/");
  const [route, set] = useState(read);
  useEffect(() => { const on = () => set(read()); addEventListener("hashchange", on); return () => removeEventListener("hashchange", on); }, []);
  return route;
}

function dayOf(seconds) {
  const day = (time) => Math.floor((time - new Date().getTimezoneOffset() * 60000) / 86400000);
  const ago = day(Date.now()) - day(seconds * 1000);
  return ago < 1 ? "Today" : ago < 2 ? "Yesterday" : "Earlier";
}

function Side({ at, close }) {
  const { sessions } = useStore();
  const [find, setFind] = useState("");
  const shown = sessions.filter((one) => one.title.toLowerCase().includes(find.toLowerCase()));
  const days = Map.groupBy ? Map.groupBy(shown, (one) => dayOf(one.updated)) : new Map([["Today", shown]]);
  const mark = (one) => one.mark === "running" ? html`<span class="dot tiny" role="img" aria-label="running"></span>` : one.mark === "asking" ? html`<span class="badge" role="img" aria-label="waits for you">?</span>` : "";
  return html`<div class="side-in">
    <div class="brand"><a href="#/chat" aria-label="OneClaw, to the chat"><${Mark} /><b>OneClaw</b></a></div>
    <div class="row new"><a class="button grow" href="#/chat" onClick=${close}><${Icon} name="plus" /> ${t("chat.new")}</a></div>
    <label class="field search side-find"><${Icon} name="search" /><span class="sr">Find a conversation</span><input type="search" placeholder="Find a conversation" value=${find} onInput=${(event) => setFind(event.target.value)} /></label>
    <nav aria-label="Conversations" class="sessions">${[...days].map(([day, list]) => html`<h2 key=${day}>${day}</h2><ul>${list.map((one) => html`<li key=${one.id}><a href=${"#/chat/" + one.id} aria-current=${one.id === at[1] ? "page" : undefined} onClick=${close}><span class="grow clip">${one.title || "Untitled"}</span>${mark(one)}</a></li>`)}</ul>`)}</nav>
    <nav aria-label="Places" class="side-nav foot">${PLACES.map(([id, name, icon]) => html`<a href=${"#/" + id} aria-current=${at[0] === id ? "page" : undefined} onClick=${close}><${Icon} name=${icon} /><span class="grow">${t(name)}</span></a>`)}</nav>
  </div>`;
}

function App() {
  const at = useRoute();
  const { start, offline, questions } = useStore();
  const [drawer, setDrawer] = useState(false);
  useEffect(() => {
    const keys = (event) => {
      const ctrl = event.ctrlKey || event.metaKey, heads = (open) => [...document.querySelectorAll(`.call-head[aria-expanded="${open}"]`)];
      const hit = ctrl && event.shiftKey && event.key.toLowerCase() === "o" ? () => { location.hash = "#/chat"; }
        : ctrl && event.shiftKey && event.key.toLowerCase() === "e" ? () => (heads(false).length ? heads(false) : heads(true)).forEach((head) => head.click())
        : event.key === "/" && !/INPUT|TEXTAREA|SELECT/.test(document.activeElement.tagName) ? () => document.getElementById("message")?.focus() : null;
      if (hit) { event.preventDefault(); hit(); }
    };
    addEventListener("keydown", keys);
    return () => removeEventListener("keydown", keys);
  }, []);
  useEffect(() => { document.title = (questions.length ? `(${questions.length}) ` : "") + "OneClaw"; }, [questions.length]);
  if (!start) return null;
  const menu = html`<${IconButton} icon="menu" label="Conversations and places" aria-expanded=${drawer} onClick=${() => setDrawer(true)} />`;
  const Place = PAGES[at[0]];
  return html`<div class="shell">
    <aside class=${"side" + (drawer ? " open" : "")} aria-label="Side"><${Side} at=${at} close=${() => setDrawer(false)} /></aside>
    ${drawer && html`<button type="button" class="scrim" aria-label="Close the menu" onClick=${() => setDrawer(false)}></button>`}
    <main id="main" tabindex="-1">
      ${offline > 0 && html`<div class="banner" role="alert"><${Icon} name="offline" /><span class="grow"><b>${t("offline")}</b> ${t("offline.more", { seconds: offline })}</span><button type="button" class="small" onClick=${retry}>${t("offline.now")}</button></div>`}
      ${Place ? html`<div class="bar narrow">${menu}</div><${Place} />${questions.length > 0 && html`<div class="corner"><${Question} questions=${questions} /></div>`}` : html`<${Chat} key=${at[1] ?? ""} id=${at[1]} menu=${menu} />`}
    </main></div>`;
}

const Locked = () => html`<main id="main" class="welcome" tabindex="-1"><div class="welcome-in"><${Mark} size="44" /><h1>${t("login.title")}</h1><p class="lead">${t("login.text")}</p></div></main>`;

await logIn();
try {
  await Promise.all([loadStart(), loadSessions()]);
  open();
  render(html`<${App} />`, document.getElementById("app"));
} catch (error) {
  render(error.status === 401 ? html`<${Locked} />` : html`<p role="alert">${error.message}</p>`, document.getElementById("app"));
}
changed({});
