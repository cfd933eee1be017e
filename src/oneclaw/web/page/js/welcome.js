// The first run: one sentence, three sample calls, three ways to begin.
import { Problem, useData } from "./data.js";
import { post } from "./net.js";
import { loadStart, useStore } from "./state.js";
import { t } from "./texts.js";
import { Icon, Mark, html } from "./ui.js";

const TASTE = [["success", "check", "read_file", "notes/46.md", "12 ms"], ["success", "check", "web_search", "train times Saturday", "0.8 s"], ["asking", "shield", "execute_shell_command", "git push", ""]];
const NAMES = { read_file: "Read a file", web_search: "Search the web", execute_shell_command: "Run a command" };

const Way = ({ icon, title, text, children }) => html`<li class="boxed"><${Icon} name=${icon} size="20" /><h2>${title}</h2><p>${text}</p>${children}</li>`;

export default function Welcome() {
  const { start } = useStore();
  const { data, problem, load, setProblem } = useData("/models/here");
  const found = data ?? [], of = (origin) => found.find((one) => one.origin === origin && !one.name.endsWith("/"));
  const tiny = of("tiny"), server = of("server"), key = found.find((one) => one.origin === "key");
  const take = (model) => post("/models/default", { model }).then(loadStart).then(() => { location.hash = "#/chat"; }, (error) => setProblem(error.message));
  const isFirst = (way) => way === (tiny ? "tiny" : key ? "key" : server ? "server" : "key") ? "button primary" : "button";
  return html`<main id="main" class="welcome" tabindex="-1"><div class="welcome-in"><${Mark} size="44" /><h1>${t("welcome.title")}<br />${t("welcome.title.2")}</h1><p class="lead">${t("welcome.lead")}</p>
    <ul class="taste" aria-label=${t("welcome.example")}>${TASTE.map(([status, icon, tool, args, time]) => html`<li class=${status}><${Icon} name=${icon} size="14" /><b>${start.labels[tool] ?? NAMES[tool]}</b><code>${args}</code><span>${time || t("welcome.asks")}</span></li>`)}</ul>
    <${Problem} text=${problem} />
    <ul class="ways" aria-busy=${!data}>
      <${Way} icon="chat" title=${t("welcome.tiny")} text=${tiny || !data ? t("welcome.tiny.text") : t("welcome.tiny.none")}>${tiny && html`<button type="button" class=${isFirst("tiny")} onClick=${() => take(tiny.name)}>${t("welcome.start")}</button>`}</>
      <${Way} icon="key" title=${t("welcome.key")} text=${key ? t("welcome.key.found", { name: key.reason.split(":")[0] }) : t("welcome.key.text")}>${data && (key && !key.name.endsWith("/") ? html`<button type="button" class=${isFirst("key")} onClick=${() => take(key.name)}>${t("welcome.take", { model: key.name.split("/")[1] })}</button>` : html`<a class=${isFirst("key")} href="#/models">${t("welcome.paste")}</a>`)}</>
      <${Way} icon="box" title=${t("welcome.server")} text=${!data ? t("welcome.looking") : server ? t("welcome.server.found", { model: server.name }) : t("welcome.server.none")}>${data && (server ? html`<button type="button" class=${isFirst("server")} onClick=${() => take(server.name)}>${t("welcome.take", { model: server.name.split("/").slice(1).join("/") })}</button>` : html`<button type="button" class="button" onClick=${load}>${t("welcome.look")}</button>`)}</>
    </ul>
    <p class="promise"><${Icon} name="shield" /> ${t("welcome.promise", { folder: start.workspace })}</p>
    ${start.models.length > 0 && html`<p><a href="#/chat">${t("back")}</a></p>`}</div></main>`;
}
