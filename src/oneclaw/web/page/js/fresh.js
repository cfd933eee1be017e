// A conversation that has not begun: three things to begin with.
import { t } from "./texts.js";
import { Icon, html, iconOf } from "./ui.js";

const STARTS = [["fresh.files", "list_files"], ["fresh.page", "fetch_url"], ["fresh.note", "write_file"]];

export const Fresh = ({ onSend }) => html`<div class="fresh"><h2>${t("chat.fresh")}</h2>
  <ul class="starts">${STARTS.map(([text, tool]) => html`<li><button type="button" onClick=${() => text === "fresh.page" ? fill(t(text)) : onSend(t(text))}><${Icon} name=${iconOf(tool)} /><span class="grow">${t(text)}</span><code>${tool}</code></button></li>`)}</ul></div>`;

function fill(text) {
  const area = document.getElementById("message");
  area.value = text + ": https://";
  area.dispatchEvent(new Event("input", { bubbles: true }));
  area.focus();
}
