// Limits a remembered yes to a pattern and to a time.
import { useState } from "../vendor/preact-htm.js";
import { t } from "./texts.js";
import { Field, Icon, html } from "./ui.js";

const TIMES = [["", "limit.ever"], [3600, "limit.hour"], [28800, "limit.hours"], [86400, "limit.day"], [2592000, "limit.month"]];
const SHORT = 200, OWN = "own";
const star = (text) => text.replace(/[*?[\]]/g, "[$&]");

// Patterns that fit this call: rules for a command, an argument as it is, the folder of a path.
function offered(question) {
  if (question.is_ruled) return question.rules.map((rule) => ({ command: rule }));
  const plain = Object.entries(question.given ?? {}).filter(([, value]) => value.length < SHORT && !value.includes("\\")).map(([name, value]) => [name, value.replace(/^"(.*)"$/, "$1")]);
  return plain.flatMap(([name, value]) => {
    const folder = /^(path|file|url)/.test(name) && value.includes("/") ? value.slice(0, value.lastIndexOf("/")) : "";
    return [{ [name]: star(value) }, ...(folder ? [{ [name]: `${star(folder)}/**` }] : [])];
  });
}
const text = (pattern) => Object.entries(pattern).map(([name, value]) => `${name}: ${value}`).join(", ");

export function Limit({ question, onLimit }) {
  const [open, setOpen] = useState(false);
  const [limit, set] = useState({});
  const [own, setOwn] = useState(false);
  const patterns = offered(question), names = Object.keys(question.arguments);
  const change = (part) => { const now = { ...limit, ...part }; for (const name of Object.keys(now)) if (!now[name]) delete now[name]; set(now); onLimit(now); };
  const pick = (value) => { setOwn(value === OWN); change({ pattern: value === "" || value === OWN ? null : patterns[Number(value)] }); };
  const write = (event) => { const data = new FormData(event.currentTarget.form ?? event.currentTarget.closest("form")); const value = data.get("value").trim(); change({ pattern: value ? { [data.get("name") ?? names[0]]: value } : null }); };
  return html`<div class="limit"><button type="button" class="fold" aria-expanded=${open} onClick=${() => setOpen(!open)}><${Icon} name="right" size="13" /> ${t("limit")}</button>
    ${open && html`<form class="pair" onSubmit=${(event) => event.preventDefault()}>
      <${Field} name=${t("limit.when")}><select onChange=${(event) => pick(event.target.value)}><option value="">${t(question.is_ruled ? "limit.command" : "limit.any")}</option>${patterns.map((one, i) => html`<option value=${i}>${text(one)}</option>`)}<option value=${OWN}>${t("limit.own")}</option></select></>
      <${Field} name=${t("limit.until")}><select onChange=${(event) => change({ seconds: Number(event.target.value) || null })}>${TIMES.map(([value, name]) => html`<option value=${value}>${t(name)}</option>`)}</select></>
      ${own && html`<div class="row own"><label><span class="sr">${t("limit.argument")}</span><select name="name" onChange=${write}>${names.map((name) => html`<option selected=${question.is_ruled && name === "command"}>${name}</option>`)}</select></label><label class="grow"><span class="sr">${t("limit.pattern")}</span><input name="value" placeholder=${question.is_ruled ? "git log *" : "notes/**"} onInput=${write} /></label></div>`}
    </form>`}</div>`;
}
