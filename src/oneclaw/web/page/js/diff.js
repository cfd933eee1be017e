// What a call changed, or would change, in a file.
import { t } from "./texts.js";
import { html, visible } from "./ui.js";

const kindOf = (line) => line.startsWith("+") && !line.startsWith("+++") ? "plus" : line.startsWith("-") && !line.startsWith("---") ? "minus" : line.startsWith("@@") ? "place" : "";

export const Diff = ({ diff }) => html`<figure class="code"><figcaption><span><span class="ok">+${diff.added}</span> <span class="bad">−${diff.removed}</span></span></figcaption>
  <pre class="diff-text" tabindex="0" aria-label=${t("diff")}>${diff.text.split("\n").map((line) => html`<span class=${kindOf(line)}>${visible(line) + "\n"}</span>`)}${diff.more > 0 && html`<span class="place">${t("diff.more", { count: diff.more })}</span>`}</pre></figure>`;
