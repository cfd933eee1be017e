// Models and keys: who answers, a card for each provider, keys that can be set and never read.
import { useState } from "../vendor/preact-htm.js";
import { Problem, useData } from "./data.js";
import { post } from "./net.js";
import { loadStart } from "./state.js";
import { t } from "./texts.js";
import { Chip, Icon, Page, html, say, seconds } from "./ui.js";

const NAMES = { anthropic: "Anthropic", openai: "OpenAI", gemini: "Gemini", openrouter: "OpenRouter", deepseek: "DeepSeek", xai: "xAI", ollama: "Ollama", lmstudio: "LM Studio", llamacpp: "llama.cpp", vllm: "vLLM", groq: "Groq", mistral: "Mistral", local: "Local models" };
const nameOf = (provider) => NAMES[provider] ?? provider.charAt(0).toUpperCase() + provider.slice(1);

function Checks({ checks }) {
  return html`<ul class="checks-list">${checks.map((one) => html`<li class=${one.is_good ? "ok" : one.is_good === false ? "bad" : "faint"}><${Icon} name=${one.is_good ? "check" : one.is_good === false ? "x" : "clock"} size="13" /> <b>${one.name}</b> <span>${one.said}</span>${one.seconds > 0 && html` <span class="num">${seconds(one.seconds)}</span>`}</li>`)}</ul>`;
}

function Provider({ provider, load }) {
  const { name, key, place, models, isHere } = provider;
  const [told, tell] = useState(null);
  const [busy, setBusy] = useState(false);
  const hasKey = !key || Boolean(place);
  const test = async () => {
    setBusy(true); tell(null);
    try { const checks = await post(`/keys/${name}/test`); const bad = checks.find((one) => one.is_good === false); tell({ checks, bad }); say(bad ? bad.said : t("models.answered", { time: seconds(checks[0].seconds) })); }
    catch (error) { tell({ problem: error.message }); }
    setBusy(false);
  };
  const keep = async (event) => {
    event.preventDefault();
    const field = event.target.elements.key, value = field.value;
    field.value = ""; // it is never shown again
    try { await post(`/keys/${name}`, { key: value }); say(t("models.kept")); await load(); await test(); } catch (error) { tell({ problem: error.message }); }
  };
  const remove = () => post(`/keys/${name}/remove`).then(() => { say(t("models.removed")); tell(null); return load(); }, (error) => tell({ problem: error.message }));
  const lamp = told?.problem || told?.bad ? "bad" : told?.checks || hasKey ? "ok" : "";
  const isRefused = told?.problem || told?.bad;
  return html`<li class="boxed provider"><div class="row wrap"><span class=${"lamp " + lamp}></span><b>${nameOf(name)}</b><code class="faint clip">${key || ""}</code><span class="grow"></span>
      ${hasKey ? html`<button type="button" class="small" disabled=${busy} onClick=${test}>${busy ? html`<span class="spin"></span> ${t("models.testing")}` : t("models.test")}</button>` : html`<${Chip}>${t("models.no_key")}</>`}</div>
    ${!told && hasKey && html`<p class="faint">${[isHere && t("models.here"), models.length > 0 && t(models.length === 1 ? "models.count.one" : "models.count", { count: models.length }), place && t("models.place", { place })].filter(Boolean).join(" ")}</p>`}
    <div role="status">${told?.problem && html`<p class="bad">${told.problem}</p>`}${told?.checks && html`<${Checks} checks=${told.checks} />`}</div>
    ${key && (!hasKey || isRefused) && html`<form class="row" onSubmit=${keep}><label class="field grow"><span class="sr">${t("models.paste", { key })}</span><input name="key" type="password" autocomplete="off" spellcheck="false" placeholder=${t("models.paste", { key })} required /></label><button type="submit" class="primary">${t("models.keep")}</button></form>`}
    ${place === "secrets file" && html`<p><button type="button" class="ghost small" onClick=${remove}><${Icon} name="trash" size="13" /> ${t("models.remove")}</button></p>`}</li>`;
}

// Providers in the order in which they can answer: with a key, on this machine, and those that lack a key.
function group(listed, keys, here) {
  const all = new Map();
  const of = (name) => all.get(name) ?? all.set(name, { name, key: "", place: "", models: [], isHere: false }).get(name);
  for (const one of listed?.models ?? []) { const own = of(one.provider); own.key ||= one.key; if (!one.model.endsWith("…")) own.models.push(one.model); }
  for (const one of keys ?? []) if (one.provider) Object.assign(of(one.provider), { key: one.name, place: one.place });
  for (const one of here ?? []) if (one.origin !== "key") { const own = of(one.name.split("/")[0]); own.isHere = true; if (!own.models.includes(one.name) && !one.name.endsWith("/")) own.models.push(one.name); }
  return [...all.values()];
}
const KNOWN = ["anthropic", "openai", "gemini"];

export default function Models() {
  const listed = useData("/models"), keys = useData("/keys"), here = useData("/models/here");
  const [more, setMore] = useState(false);
  const load = () => Promise.all([listed.load(), keys.load(), here.load(), loadStart()]);
  const providers = group(listed.data, keys.data, here.data);
  const ready = providers.filter((one) => one.key ? one.place : one.isHere || one.models.length), rest = providers.filter((one) => one.key && !one.place);
  const shown = more ? rest : rest.filter((one) => KNOWN.includes(one.name));
  const current = listed.data?.models.find((one) => one.is_default)?.model ?? "";
  const names = [...new Set([current, ...ready.flatMap((one) => one.models)])].filter(Boolean);
  const choose = (model) => post("/models/default", { model }).then(() => { say(t("models.default.done", { model })); load(); }, (error) => listed.setProblem(error.message));
  return html`<${Page} title=${t("page.models")} lead=${t("page.models.lead")}>
    <${Problem} text=${listed.problem || keys.problem} />
    ${names.length > 0 && html`<label class="field inline wrap"><span>${t("models.default")}</span><select value=${current} onChange=${(event) => choose(event.target.value)}>${!current && html`<option value=""></option>`}${names.map((one) => html`<option value=${one} selected=${one === current}>${one}</option>`)}</select></label>`}
    ${listed.data && ready.length === 0 && html`<p class="note"><b>${t("models.none")}.</b> ${t("models.none.text")}</p>`}
    ${listed.data && keys.data && html`<ul class="cards">${[...ready, ...shown].map((one) => html`<${Provider} key=${one.name} provider=${one} load=${load} />`)}</ul>`}
    ${rest.length > shown.length && html`<button type="button" class="fold" aria-expanded=${more} onClick=${() => setMore(true)}><${Icon} name="right" size="13" /> ${t("models.more")} <span class="faint">${rest.length - shown.length}</span></button>`}</>`;
}
