// A tool card: one call, compact or in detail.
import { useState } from "../vendor/preact-htm.js";
import { Diff } from "./diff.js";
import { Code } from "./markdown.js";
import { post } from "./net.js";
import { label } from "./state.js";
import { t } from "./texts.js";
import { Icon, html, number, seconds, visible } from "./ui.js";

const ICONS = { pending: "clock", asking: "shield", success: "check", error: "x", denied: "denied", timeout: "clock", stopped: "stop" };
const FIRST = ["command", "url", "pattern", "query", "expression", "path", "text", "code"];
const KEPT_OPEN = new Set(); // cards that a person opened; no rule closes one

const StatusIcon = ({ status }) => html`<span class=${"status " + status}>${status === "executing" ? html`<span class="spin"></span>` : html`<${Icon} name=${ICONS[status]} />`}</span>`;

function brief(call) {
  const given = call.arguments;
  if (!given) return visible(call.written?.match(/:\s*"([^"]*)/)?.[1].split("\\n")[0] ?? "");
  const first = FIRST.map((name) => given[name]).find((value) => value !== undefined) ?? Object.values(given)[0];
  return first === undefined ? "" : visible((typeof first === "string" ? first : JSON.stringify(first)).split("\n")[0].slice(0, 300));
}

function took(call) {
  if (call.status === "executing") return call.progress?.text || "…";
  if (!call.result || ["denied", "timeout", "stopped"].includes(call.status)) return t("status." + call.status);
  return seconds(call.result.seconds);
}

export const isBad = (call) => call.result && call.result.status !== "success";
export const hasPictures = (call) => call.result?.images?.length > 0;

const addressOf = (call, what) => `/api/sessions/${encodeURIComponent(call.session)}/${what}?call=${encodeURIComponent(call.id)}`;

const Pictures = ({ call }) => html`<div class="pictures">${call.result.images.map((_, i) => {
  const address = `${addressOf(call, "picture")}&index=${i}`;
  return html`<a href=${address} target="_blank" rel="noreferrer"><img src=${address} alt=${t("calls.picture", { tool: label(call.tool, call.label), at: i + 1 })} loading="lazy" /></a>`;
})}</div>`;

function Undo({ number }) {
  const [told, tell] = useState("");
  const undo = () => post("/undo", { name: String(number) }).then((done) => tell(t(done.files.length === 1 ? "undo.done.one" : "undo.done", { count: done.files.length })), (error) => tell(error.message));
  return html`<p class="row wrap"><button type="button" class="small" onClick=${undo}><${Icon} name="undo" size="13" /> ${t("undo")}</button><span class="faint" role="status">${told}</span></p>`;
}

function Argument({ value }) {
  const text = visible(typeof value === "string" ? value : JSON.stringify(value, null, 1));
  return text.includes("\n") ? html`<pre tabindex="0">${text}</pre>` : html`<code>${text}</code>`;
}

function Detail({ call, children, calls }) {
  const { result } = call;
  const [all, setAll] = useState(false);
  const shown = all ? children : children.filter((child, i) => i < 2 || isBad(child) || !child.result);
  const value = result?.result, inDiff = result?.details?.diff?.more === 0 ? ["content", "old", "new", "old_text", "new_text"] : [];
  return html`<div class="detail">
    <dl>${Object.entries(call.arguments ?? {}).filter(([name]) => !inDiff.includes(name)).map(([name, given]) => html`<dt>${name}</dt><dd><${Argument} value=${given} /></dd>`)}</dl>
    ${children.length > 0 && html`<div class="children">${shown.map((child) => html`<${ToolCard} key=${child.key} call=${child} calls=${calls} small />`)}
      ${shown.length < children.length && html`<button type="button" class="ghost small" onClick=${() => setAll(true)}>${t("calls.more", { count: children.length - shown.length })}</button>`}</div>`}
    ${result?.details?.diff?.text && html`<${Diff} diff=${result.details.diff} />`}
    ${result && (isBad(call) ? html`<div class="fault" role="note"><strong>${result.error_type}</strong> ${visible(result.message ?? "")}</div>`
      : value !== undefined && value !== "" && html`<${Code} text=${typeof value === "string" ? value : JSON.stringify(value, null, 2)} lang=${t("calls.result")} />`)}
    ${hasPictures(call) && html`<${Pictures} call=${call} />`}
    ${result?.repairs?.length > 0 && html`<p class="note"><${Icon} name="edit" size="13" /> ${t("calls.repaired", { text: result.repairs.join(" ") })}</p>`}
    ${result?.truncated_from && html`<p class="note"><${Icon} name="file" size="13" /> ${t("calls.cut", { count: number(result.truncated_from) })} ${String(JSON.stringify(value) ?? "").includes("whole") && html`<a href=${addressOf(call, "result.txt")} target="_blank" rel="noreferrer">${t("calls.open")}</a>`}</p>`}
    ${call.number > 0 && result?.effects === "done" && html`<${Undo} number=${call.number} />`}
    <p class="facts"><code>${call.tool}</code>${call.decision && html`<span>${t("decided." + call.decision)}</span>`}${result && html`<span>${seconds(result.seconds)}</span>`}</p>
  </div>`;
}

export function ToolCard({ call, calls, small }) {
  const [open, set] = useState(KEPT_OPEN.has(call.key));
  const { result } = call;
  const children = (call.children ?? []).map((key) => calls[key]).filter(Boolean);
  const failed = children.filter(isBad).length;
  const flip = () => { KEPT_OPEN[open ? "delete" : "add"](call.key); set(!open); };
  return html`<article class=${"call " + call.status + (small ? " inner" : "")} data-status=${call.status}>
    <button type="button" class="call-head" aria-expanded=${open} onClick=${flip}>
      <${StatusIcon} status=${call.status} />
      <span class="call-name">${label(call.tool, call.label)}</span><span class="sr">, ${t("status." + call.status)}</span>
      <span class="call-args">${brief(call)}</span><span class="call-time">${took(call)}</span>
      <span class="turn"><${Icon} name="right" size="13" /></span>
    </button>
    ${call.status === "executing" && call.progress?.fraction != null && html`<progress max="1" value=${call.progress.fraction} aria-label=${call.progress.text || t("status.executing")}></progress>`}
    ${!open && isBad(call) && html`<p class="call-error">${visible(result.message ?? "")}</p>`}
    ${!open && children.length > 0 && html`<p class="call-sub"><${Icon} name="branch" size="13" /> ${t(children.length === 1 ? "calls.inside.one" : "calls.inside", { count: children.length })}${failed > 0 && html`<span>· <span class="bad">${t("calls.failed", { count: failed })}</span></span>`}</p>`}
    ${!open && hasPictures(call) && html`<${Pictures} call=${call} />`}
    ${open && html`<${Detail} call=${call} children=${children} calls=${calls} />`}
  </article>`;
}
