// The frame: where we are, the side, the banner, the palette, the keys.
import { render, useEffect, useState } from "../vendor/preact-htm.js";
import { Chat } from "./chat.js";
import { KeyMap, actOf, flipCalls } from "./keyboard.js";
import { logIn } from "./net.js";
import { askToNotify, canNotify, isAsked, watchQuestions, watchRuns } from "./notify.js";
import { Palette } from "./palette.js";
import { Question } from "./question.js";
import { SETTINGS, Side } from "./side.js";
import { changed, loadSessions, loadStart, open, retry, useStore } from "./state.js";
import { t } from "./texts.js";
import { flipTheme } from "./look.js";
import { Icon, IconButton, Mark, html } from "./ui.js";

// Screens besides the conversation are loaded when they are opened.
const PAGES = { runs: () => import("./runs.js"), tools: () => import("./tools.js"), agents: () => import("./agents.js"), models: () => import("./models.js"), mcp: () => import("./mcp.js"), permissions: () => import("./permissions.js"), welcome: () => import("./welcome.js") };

function useRoute() {
  const read = () => location.hash.slice(2).split("?")[0].split("/");
  const [route, set] = useState(read);
  useEffect(() => { const on = () => set(read()); addEventListener("hashchange", on); return () => removeEventListener("hashchange", on); }, []);
  return route;
}

function Later({ name, rest }) {
  const [Screen, set] = useState(null);
  useEffect(() => { let is = true; PAGES[name]().then((found) => is && set(() => found.default), (error) => changed({ problem: error.message })); return () => { is = false; }; }, [name]);
  return Screen && html`<${Screen} rest=${rest} />`;
}

function Banner({ seconds }) {
  return html`<div class="banner" role="alert"><${Icon} name="offline" /><span class="grow"><b>${t("offline")}</b> ${t("offline.more", { seconds })}</span><button type="button" class="small" onClick=${retry}>${t("offline.now")}</button></div>`;
}

function App() {
  const at = useRoute();
  const { start, offline, questions } = useStore();
  const [drawer, setDrawer] = useState(false);
  const [over, setOver] = useState("");
  const go = (to) => () => { location.hash = "#/" + to; };
  const compose = () => document.getElementById("message")?.focus();
  useEffect(() => {
    const acts = { palette: () => setOver("palette"), fresh: go("chat"), compose, keys: () => setOver("keys") };
    const keys = (event) => {
      if (event.key === "Escape" && document.querySelector(".side.open")) { event.preventDefault(); setDrawer(false); return; }
      const act = actOf(event, acts);
      if (act) { event.preventDefault(); act(); }
    };
    addEventListener("keydown", keys, true);
    const end = watchRuns();
    return () => { removeEventListener("keydown", keys, true); end(); };
  }, []);
  useEffect(() => { document.title = (questions.length ? `(${questions.length}) ` : "") + "OneClaw"; watchQuestions(); }, [questions]);
  if (at[0] === "welcome" || (!start.models.length && !at[0])) return html`<${Later} name="welcome" />`;
  const actions = [{ name: t("chat.new"), icon: "plus", keys: "Ctrl Shift O", run: go("chat") }, { name: t("calls.all"), icon: "list", keys: "Ctrl Shift E", run: flipCalls }, { name: t("theme"), icon: "sun", run: flipTheme },
    ...(canNotify && !isAsked() ? [{ name: t("notify.ask"), icon: "bell", run: askToNotify }] : []), { name: t("keys"), icon: "help", keys: "?", run: () => setOver("keys") }];
  const places = [["runs", "page.runs", "list"], ...SETTINGS, ["welcome", "welcome", "spark"]].map(([id, name, icon]) => ({ name: t(name), icon, run: go(id) }));
  const menu = html`<${IconButton} icon="menu" label=${t("menu")} aria-expanded=${drawer} onClick=${() => setDrawer(true)} />`;
  return html`<div class="shell">
    <aside class=${"side" + (drawer ? " open" : "")} aria-label=${t("side")}><${Side} at=${at} close=${() => setDrawer(false)} palette=${() => setOver("palette")} /></aside>
    ${drawer && html`<button type="button" class="scrim" aria-label=${t("menu.close")} onClick=${() => setDrawer(false)}></button>`}
    <main id="main" tabindex="-1">
      ${offline > 0 && html`<${Banner} seconds=${offline} />`}
      ${PAGES[at[0]] ? html`<div class="bar narrow">${menu}</div><${Later} key=${at[0]} name=${at[0]} rest=${at.slice(1)} />${questions.length > 0 && html`<div class="corner"><${Question} questions=${questions} /></div>`}` : html`<${Chat} key=${at[1] ?? ""} id=${at[1]} menu=${menu} />`}
    </main></div>
    ${over === "palette" && html`<${Palette} close=${() => setOver("")} actions=${actions} places=${places} />`}${over === "keys" && html`<${KeyMap} close=${() => setOver("")} />`}`;
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
