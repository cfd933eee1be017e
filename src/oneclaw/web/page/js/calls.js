// The calls of one round: alone, side by side, or folded when they no longer matter.
import { useState } from "../vendor/preact-htm.js";
import { ToolCard, hasPictures } from "./cards.js";
import { t } from "./texts.js";
import { Icon, html, seconds } from "./ui.js";

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

// Of an older answer only what matters stays open: words, pictures, and what went wrong.
export function fold(parts, calls) {
  const isPlain = (part) => part.type === "calls" && part.ids.every((id) => calls[id]?.result?.status === "success" && !hasPictures(calls[id]));
  return parts.reduce((kept, part) => {
    if (!isPlain(part)) return [...kept, part];
    const end = kept.at(-1);
    return end?.folded ? [...kept.slice(0, -1), { ...end, ids: [...end.ids, ...part.ids] }] : [...kept, { ...part, folded: true }];
  }, []);
}
