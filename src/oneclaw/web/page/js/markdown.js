// Markdown becomes elements, never HTML: marked splits the text, each token has one element here, and what has
// none is shown as the text it is. So no markup of a model, a page or a tool can do anything.
//
// While an answer is written, only its last block is parsed again.
import { useRef } from "../vendor/preact-htm.js";
import { marked } from "../vendor/marked.js";
import { t } from "./texts.js";
import { Icon, copy, html, memo } from "./ui.js";

const SAFE = /^(https?:|mailto:)/i;
const SIGNS = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
const plain = (text) => text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => SIGNS[name]);

const link = (href, children) => SAFE.test(href) ? html`<a href=${href} rel="noreferrer noopener" target="_blank">${children}</a>` : html`<span>${children}</span>`;
const all = (tokens = []) => tokens.map(one);
const item = (entry) => html`<li class=${entry.task ? "task" : ""}>${entry.task && html`<input type="checkbox" checked=${entry.checked} disabled aria-label=${t(entry.checked ? "task.done" : "task.open")} /> `}${all(entry.tokens)}</li>`;

function one(token) {
  switch (token.type) {
    case "paragraph": return html`<p>${all(token.tokens)}</p>`;
    case "heading": return html`<p class=${"h h" + token.depth} role="heading" aria-level=${Math.min(token.depth + 1, 6)}>${all(token.tokens)}</p>`;
    case "text": return token.tokens ? all(token.tokens) : plain(token.text);
    case "escape": return plain(token.text);
    case "strong": return html`<strong>${all(token.tokens)}</strong>`;
    case "em": return html`<em>${all(token.tokens)}</em>`;
    case "del": return html`<del>${all(token.tokens)}</del>`;
    case "codespan": return html`<code>${plain(token.text)}</code>`;
    case "br": return html`<br />`;
    case "hr": return html`<hr />`;
    case "link": return link(token.href, all(token.tokens));
    case "image": return link(token.href, t("picture.elsewhere", { text: plain(token.text) || token.href })); // never loaded: no foreign requests
    case "blockquote": return html`<blockquote>${all(token.tokens)}</blockquote>`;
    case "list": return token.ordered ? html`<ol start=${token.start || 1}>${token.items.map(item)}</ol>` : html`<ul>${token.items.map(item)}</ul>`;
    case "code": return html`<${Code} text=${token.text} lang=${token.lang} />`;
    case "table": return html`<div class="table" tabindex="0" role="region" aria-label=${t("table")}><table><thead><tr>${token.header.map((cell) => html`<th class=${cell.align === "right" ? "num" : ""}>${all(cell.tokens)}</th>`)}</tr></thead>
      <tbody>${token.rows.map((row) => html`<tr>${row.map((cell) => html`<td class=${cell.align === "right" ? "num" : ""}>${all(cell.tokens)}</td>`)}</tr>`)}</tbody></table></div>`;
    case "space": case "def": case "checkbox": return null;
    default: return token.raw;
  }
}

export const Code = ({ text, lang }) => html`<figure class="code"><figcaption><span>${lang || t("code")}</span>
  <button type="button" class="ghost small" onClick=${() => copy(text)}><${Icon} name="copy" size="13" /> ${t("chat.copy")}</button></figcaption>
  <pre tabindex="0" aria-label=${t("code") + (lang ? ", " + lang : "")}><code>${text}</code></pre></figure>`;

const Block = memo(({ token }) => one(token));

// The tokens of a text that has grown: those before the last block stay as they are.
function grown(old, text) {
  if (!old || !text.startsWith(old.text)) return { text, tokens: marked.lexer(text) };
  const kept = [...old.tokens];
  while (kept.length && kept.at(-1).type === "space") kept.pop();
  kept.pop();
  const from = kept.reduce((sum, token) => sum + token.raw.length, 0);
  return { text, tokens: [...kept, ...marked.lexer(text.slice(from))] };
}

export function Markdown({ text, live }) {
  const last = useRef();
  const now = text.replace(/\r\n?/g, "\n");
  if (last.current?.text !== now || last.current.live !== live) last.current = { ...(live ? grown(last.current, now) : { text: now, tokens: marked.lexer(now) }), live };
  return html`<div class="prose">${last.current.tokens.map((token, i) => html`<${Block} key=${i} token=${token} />`)}</div>`;
}
