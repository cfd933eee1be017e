// The answer to a choice, a text or a form; a form is made from its JSON Schema.
import { useRef } from "../vendor/preact-htm.js";
import { t } from "./texts.js";
import { html } from "./ui.js";

const typeOf = (schema) => [schema.type].flat().find((one) => one && one !== "null") ?? (schema.enum ? "string" : "");
const KINDS = { email: "email", date: "date", time: "time", uri: "url", "date-time": "text" };

function Input({ name, schema, required }) {
  const type = typeOf(schema), value = schema.default;
  const options = schema.enum ?? schema.oneOf?.map((one) => one.const);
  if (type === "array" && schema.items?.enum) return html`<div class="checks-in">${schema.items.enum.map((one) => html`<label class="check"><input type="checkbox" name=${name} value=${JSON.stringify(one)} defaultChecked=${value?.includes(one)} />${String(one)}</label>`)}</div>`;
  if (options) return html`<select name=${name} required=${required}>${!required && value === undefined && html`<option value=""></option>`}${options.map((one, i) => html`<option value=${JSON.stringify(one)} selected=${one === value}>${schema.enumNames?.[i] ?? schema.oneOf?.[i]?.title ?? String(one)}</option>`)}</select>`;
  if (type === "boolean") return html`<input type="checkbox" class="switch" role="switch" name=${name} defaultChecked=${value === true} />`;
  if (type === "number" || type === "integer") return html`<input name=${name} type="number" step=${type === "integer" ? 1 : "any"} min=${schema.minimum} max=${schema.maximum} defaultValue=${value ?? ""} required=${required} />`;
  if (type === "string" && !(schema.maxLength > 200)) return html`<input name=${name} type=${KINDS[schema.format] ?? "text"} minlength=${schema.minLength} maxlength=${schema.maxLength} pattern=${schema.pattern} defaultValue=${value ?? ""} required=${required} />`;
  return html`<textarea name=${name} rows="3" required=${required} defaultValue=${value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value)}></textarea>`;
}

// What was filled in, as the types that the schema asks for; the server checks it and says what does not fit.
function read(form, schema) {
  const found = {};
  for (const [name, one] of Object.entries(schema.properties ?? {})) {
    const type = typeOf(one), field = form.elements[name];
    if (type === "array" && one.items?.enum) found[name] = [...form.querySelectorAll(`[name="${CSS.escape(name)}"]:checked`)].map((box) => JSON.parse(box.value));
    else if (type === "boolean") found[name] = field.checked;
    else if (field.value === "") continue;
    else if (one.enum || one.oneOf) found[name] = JSON.parse(field.value);
    else if (type === "number" || type === "integer") found[name] = Number(field.value);
    else if (type === "array" || type === "object") { try { found[name] = JSON.parse(field.value); } catch { found[name] = type === "array" ? field.value.split("\n").filter(Boolean) : field.value; } }
    else found[name] = field.value;
  }
  return found;
}

export function AnswerForm({ question, answer }) {
  const form = useRef();
  const { kind, schema = {} } = question;
  if (kind === "choice") return html`<div class="choices" role="group" aria-label=${t("ask.choices")}>${question.answers.map((text, i) => html`<button type="button" class="choice" onClick=${() => answer(text)}><span class="grow">${text}</span><kbd>${i + 1}</kbd></button>`)}</div>`;
  const send = (event) => { event.preventDefault(); answer(kind === "text" ? form.current.elements.text.value : read(form.current, schema)); };
  const keys = (event) => { if (kind === "text" && event.key === "Enter" && !event.shiftKey && !event.isComposing) send(event); };
  return html`<form class="ask-form" ref=${form} onSubmit=${send}>
    ${kind === "text" ? html`<label class="field"><span class="sr">${t("ask.answer")}</span><textarea name="text" rows="3" required onKeyDown=${keys}></textarea></label>`
      : Object.entries(schema.properties ?? {}).map(([name, one]) => html`<label class=${"field" + (typeOf(one) === "boolean" ? " inline" : "")} key=${name}><span>${one.title ?? name}${schema.required?.includes(name) && html`<span class="faint"> ${t("ask.required")}</span>`}</span><${Input} name=${name} schema=${one} required=${schema.required?.includes(name) && one.default === undefined} />${one.description && html`<small>${one.description}</small>`}</label>`)}
    <p class="row end"><button type="submit" class="primary">${t("ask.answer")}</button></p></form>`;
}
