// A turn of the conversation: what a person said, or an answer with its calls.
import { useEffect, useRef, useState } from "../vendor/preact-htm.js";
import { Calls, DraftCard, fold } from "./calls.js";
import { Markdown } from "./markdown.js";
import { canSpeak, speak } from "./speech.js";
import { t } from "./texts.js";
import { Chip, Icon, IconButton, copy, html, memo, money, number, seconds, visible } from "./ui.js";

// A message as its writer wrote it, without what was added for the model: names of files, texts of skills.
export function written(said) {
  const [before, list] = said.split("\n\nAttached files:\n");
  const [text, ...skills] = before.split(/\n*^<skill name="([^"\n]+)" folder="[^"\n]*">$/m);
  return { text, files: (list ?? "").split("\n").filter((line) => line.startsWith("- ")).map((line) => line.slice(2)), skills: skills.filter((_, i) => i % 2 === 0) };
}

// A thought opens while it is written and closes by itself; one that was opened by hand stays open.
function Thought({ text, live }) {
  const [own, setOwn] = useState(null);
  const open = own ?? live;
  return html`<div class="thought"><button type="button" class="fold" aria-expanded=${open} onClick=${() => setOwn(!open)}><${Icon} name="right" size="13" /> ${live ? t("wait.0") : t("chat.thought")}</button>${open && html`<p>${text}</p>`}</div>`;
}

export const usageLine = (turn) => [
  turn.usage?.input > 0 && t("usage.read", { count: number(turn.usage.input) }),
  turn.usage?.output > 0 && t("usage.written", { count: number(turn.usage.output) }),
  turn.usage?.cached > 0 && t("usage.cached", { count: number(turn.usage.cached) }),
  turn.cost != null && money(turn.cost),
  turn.seconds > 0 && seconds(turn.seconds),
].filter(Boolean).join(" · ");

const words = (turn) => turn.parts.filter((part) => part.type === "text").map((part) => part.text).join("\n\n");

export const Said = memo(function Said({ turn, edit }) {
  const [draft, setDraft] = useState(null);
  const area = useRef();
  useEffect(() => { if (draft !== null) { area.current.focus(); area.current.selectionStart = area.current.value.length; } }, [draft !== null]);
  const { text, files, skills } = written(turn.text);
  const send = () => { const now = area.current.value.trim(); setDraft(null); if (now) edit(turn, now, files); };
  const keys = (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); send(); }
    if (event.key === "Escape") { event.stopPropagation(); setDraft(null); }
  };
  if (draft !== null) return html`<article class="said" aria-label=${t("chat.you")}><form class="bubble editing" onSubmit=${(event) => { event.preventDefault(); send(); }}>
    <label><span class="sr">${t("chat.edit")}</span><textarea ref=${area} rows="3" defaultValue=${draft} onKeyDown=${keys}></textarea></label>
    <p class="row wrap"><small class="grow">${t("chat.edit.keeps")}</small><button type="button" class="small" onClick=${() => setDraft(null)}>${t("cancel")}</button><button type="submit" class="small primary">${t("composer.send")}</button></p></form></article>`;
  return html`<article class="said" aria-label=${t("chat.you")}><div class="bubble">${files.length + skills.length > 0 && html`<p class="files row wrap">${files.map((file) => html`<a class="chip" href=${"/api/files?path=" + encodeURIComponent(file)} target="_blank" rel="noreferrer"><${Icon} name="file" size="13" />${visible(file.split("/").at(-1))}</a>`)}${skills.map((name) => html`<${Chip} icon="spark">${name}</>`)}</p>`}${text}</div>
    <div class="acts">${turn.starts && html`<${IconButton} icon="edit" label=${t("chat.edit")} onClick=${() => setDraft(text)} />`}<${IconButton} icon="copy" label=${t("chat.copy")} onClick=${() => copy(text)} /></div></article>`;
});

function Part({ part, turn, live }) {
  if (part.type === "text") return html`<${Markdown} text=${part.text} live=${part.live} />`;
  if (part.type === "thought") return html`<${Thought} text=${part.text} live=${live && part.live} />`;
  if (part.type === "draft") return html`<${DraftCard} part=${part} />`;
  if (part.type === "note") return html`<p class="note">${part.text}</p>`;
  return html`<${Calls} ids=${part.ids} calls=${turn.calls} folded=${part.folded} />`;
}

export const Answer = memo(function Answer({ turn, live, older, again, goOn }) {
  const parts = older ? fold(turn.parts, turn.calls) : turn.parts;
  return html`<article class=${"answer" + (older ? " older" : "")} aria-label=${t("chat.answer", { agent: turn.agent })}>
    ${parts.map((part, i) => html`<${Part} key=${i} part=${part} turn=${turn} live=${live} />`)}
    ${turn.reason === "stopped" ? html`<p class="note">${t("chat.stopped")}</p>` : turn.done && turn.error && html`<p class="note bad" role="note"><${Icon} name="warn" size="14" /> ${turn.error}</p>`}
    ${turn.interrupted && html`<p class="note row wrap warn"><${Icon} name="warn" size="14" /> <span>${t("chat.interrupted")}</span> ${goOn && html`<button type="button" class="small" onClick=${goOn}>${t("chat.resume")}</button>`}</p>`}
    ${turn.reason === "stopped" && goOn && html`<p><button type="button" class="small" onClick=${goOn}>${t("chat.resume")}</button></p>`}
    ${turn.done && !turn.interrupted && html`<footer class="after"><span class="usage">${usageLine(turn)}</span><div class="acts"><${IconButton} icon="copy" label=${t("chat.copy")} onClick=${() => copy(words(turn))} />${canSpeak && html`<${IconButton} icon="speak" label=${t("chat.speak")} onClick=${() => speak(words(turn))} />`}${again && html`<${IconButton} icon="retry" label=${t("chat.again")} onClick=${again} />`}</div></footer>`}
  </article>`;
});
