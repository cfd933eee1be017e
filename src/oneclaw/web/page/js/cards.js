// Tool cards: one call each, alone or side by side, folded when they no longer matter.
import { useState } from "../vendor/preact-htm.js";
import { Code } from "./markdown.js";
import { post } from "./net.js";
import { label } from "./state.js";
import { t } from "./texts.js";
import { Icon, html, number, seconds, visible } from "./ui.js";

const ICONS = { pending: "clock", asking: "shield", success: "check", error: "x", denied: "denied", timeout: "clock", stopped: "stop" };
const FIRST = ["path", "command", "url", "pattern", "query", "expression", "text", "code"];

const StatusIcon = ({ status }) => html`<span class=${"status " + status}>${status === "executing" ? html`<span class="spin"></span>` : html`<${Icon} name=${ICONS[status]} />`}</span>`;

function brief(call) {
  const given = call.arguments;
  if (!given) return call.written?.match(/:\s*"([^"]*)/)?.[1].split("\\n")[0] ?? "";
  const first = FIRST.map((name) => given[name]).find((value) => value !== undefined) ?? Object.values(given)[0];
  return first === undefined ? "" : (typeof first === "string" ? first : JSON.stringify(first)).split("\n")[0];
}

function took(call) {
  if (call.status === "executing") return call.progress?.text ?? "…";
  if (!call.result || ["denied", "timeout", "stopped"].includes(call.status)) return t("status." + call.status);
  return seconds(call.result.seconds);
}

const isBad = (call) => call.result && call.result.status !== "success";

export function Diff({ diff }) {
  return html`<figure class="code"><figcaption><span>+${diff.added} −${diff.removed}</span></figcaption><pre class="diff-text" tabindex="0" aria-label="Changes">${diff.text.split("\n").map((line) =>
    html`<span class=${line.startsWith("+") && !line.startsWith("+++") ? "plus" : line.startsWith("-") && !line.startsWith("---") ? "minus" : line.startsWith("@@") ? "place" : ""}>${visible(line) + "\n"}</span>`)}${diff.more > 0 && html`<span class="place">… ${diff.more} more lines</span>`}</pre></figure>`;
}

function Undo({ number }) {
  const [told, tell] = useState("");
  const undo = () => post("/undo", { name: String(number) }).then((done) => tell(t("undo.done", { count: done.files.length })), (error) => tell(error.message));
  return html`<p class="row"><button type="button" class="small" onClick=${undo}><${Icon} name="retry" size="13" /> ${t("undo")}</button><span class="faint" role="status">${told}</span></p>`;
}

function Detail({ call, children, calls }) {
  const { result } = call;
  const [all, setAll] = useState(false);
  const shown = all ? children : children.filter((child, i) => i < 2 || isBad(child));
  const value = result?.result;
  return html`<div class="detail">
    <dl>${Object.entries(call.arguments ?? {}).map(([name, given]) => html`<dt>${name}</dt><dd>${typeof given === "string" && given.includes("\n") ? html`<pre tabindex="0">${given}</pre>` : html`<code>${typeof given === "string" ? given : JSON.stringify(given)}</code>`}</dd>`)}</dl>
    ${children.length > 0 && html`<div class="children">${shown.map((child) => html`<${ToolCard} key=${child.key} call=${child} calls=${calls} small />`)}
      ${shown.length < children.length && html`<button type="button" class="ghost small" onClick=${() => setAll(true)}>Show ${children.length - shown.length} more calls, all done</button>`}</div>`}
    ${result?.details?.diff?.text && html`<${Diff} diff=${result.details.diff} />`}
    ${call.number > 0 && result?.effects === "done" && html`<${Undo} number=${call.number} />`}
    ${result && (isBad(call) ? html`<div class="fault" role="note"><strong>${result.error_type}</strong> ${result.message}</div>`
      : value !== undefined && value !== "" && html`<${Code} text=${typeof value === "string" ? value : JSON.stringify(value, null, 2)} lang="result" />`)}
    ${result?.repairs?.length > 0 && html`<p class="note"><${Icon} name="edit" size="13" /> ${t("calls.repaired", { text: result.repairs.join(" ") })}</p>`}
    ${result?.truncated_from && html`<p class="note"><${Icon} name="file" size="13" /> ${t("calls.cut", { count: number(result.truncated_from) })}</p>`}
    <p class="facts"><code>${call.tool}</code>${call.decision && html`<span>${t("answer." + call.decision)}</span>`}${result && html`<span>${seconds(result.seconds)}</span>`}</p>
  </div>`;
}

export function ToolCard({ call, calls, small }) {
  const [open, set] = useState(false);
  const { result } = call;
  const children = (call.children ?? []).map((id) => calls[id]).filter(Boolean);
  const failed = children.filter(isBad).length;
  return html`<article class=${"call " + call.status + (small ? " inner" : "")} data-status=${call.status}>
    <button type="button" class="call-head" aria-expanded=${open} onClick=${() => set(!open)}>
      <${StatusIcon} status=${call.status} />
      <span class="call-name">${call.label || label(call.tool)}</span><span class="sr">, ${t("status." + call.status)}</span>
      <span class="call-args">${brief(call)}</span><span class="call-time">${took(call)}</span>
      <span class="turn"><${Icon} name="right" size="13" /></span>
    </button>
    ${call.progress?.fraction != null && html`<progress max="1" value=${call.progress.fraction} aria-label=${call.progress.text}></progress>`}
    ${!open && isBad(call) && html`<p class="call-error">${result.message}</p>`}
    ${!open && children.length > 0 && html`<p class="call-sub"><${Icon} name="branch" size="13" /> ${t("calls.inside", { count: children.length })}${failed ? html` · <span class="bad">${failed} failed</span>` : ""}</p>`}
    ${open && html`<${Detail} call=${call} children=${children} calls=${calls} />`}
  </article>`;
}

// A call that the model is still writing.
export const DraftCard = ({ part }) => html`<${ToolCard} call=${{ key: "draft", tool: part.tool, status: "pending", written: part.text }} calls=${{}} />`;

export function Calls({ ids, calls, folded }) {
  const [unfolded, unfold] = useState(false);
  const list = ids.map((id) => calls[id]).filter(Boolean);
  const sum = list.reduce((all, call) => all + (call.result?.seconds ?? 0), 0);
  if (folded && !unfolded) return html`<button type="button" class="fold" aria-expanded="false" onClick=${() => unfold(true)}><${Icon} name="right" size="13" /> ${t(list.length === 1 ? "calls.used.one" : "calls.used", { count: list.length, time: seconds(sum) })}</button>`;
  if (list.length === 1) return html`<${ToolCard} call=${list[0]} calls=${calls} />`;
  const done = list.filter((call) => call.result).length;
  const longest = Math.max(...list.map((call) => call.result?.seconds ?? 0));
  const head = done < list.length ? t("calls.progress", { done, count: list.length }) : t("calls.saved", { longest: seconds(longest), sum: seconds(sum) });
  return html`<div class="together" role="group" aria-label=${t("calls.together", { count: list.length })}>
    <p class="together-head"><span>${t("calls.together", { count: list.length })}</span><span>${head}</span></p>
    <div class="together-grid">${list.map((call) => html`<${ToolCard} key=${call.key} call=${call} calls=${calls} />`)}</div></div>`;
}

// Of an older answer only what matters stays open: words, and what went wrong.
export function fold(parts, calls) {
  const isPlain = (part) => part.type === "calls" && part.ids.every((id) => calls[id]?.result?.status === "success");
  return parts.reduce((kept, part) => {
    if (!isPlain(part)) return [...kept, part];
    const end = kept.at(-1);
    return end?.folded ? [...kept.slice(0, -1), { ...end, ids: [...end.ids, ...part.ids] }] : [...kept, { ...part, folded: true }];
  }, []);
}
