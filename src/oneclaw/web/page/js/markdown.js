// Markdown becomes elements, never HTML: marked splits the text, each token has one element here, and what has
// none is shown as the text it is. So no markup of a model, a page or a tool can do anything.
import { useMemo } from "../vendor/preact-htm.js";
import { marked } from "../vendor/marked.js";
import { html, Icon } from "./ui.js";

const SAFE = /^(https?:|mailto:)/i;
const plain = (text) => text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => ({ amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" })[name]);

const link = (href, children) => SAFE.test(href) ? html`<a href=${href} rel="noreferrer noopener" target="_blank">${children}</a>` : html`<span>${children}</span>`;
const all = (tokens = []) => tokens.map(one);

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
    case "image": return link(token.href, `[picture: ${plain(token.text) || token.href}]`); // never loaded: no foreign requests
    case "blockquote": return html`<blockquote>${all(token.tokens)}</blockquote>`;
    case "list": return token.ordered ? html`<ol start=${token.start || 1}>${token.items.map(item)}</ol>` : html`<ul>${token.items.map(item)}</ul>`;
    case "code": return html`<${Code} text=${token.text} lang=${token.lang} />`;
    case "table": return html`<div class="table" tabindex="0" role="region" aria-label="Table"><table><thead><tr>${token.header.map((cell) => html`<th>${all(cell.tokens)}</th>`)}</tr></thead>
      <tbody>${token.rows.map((row) => html`<tr>${row.map((cell) => html`<td class=${cell.align === "right" ? "num" : ""}>${all(cell.tokens)}</td>`)}</tr>`)}</tbody></table></div>`;
    case "space": case "def": return null;
    default: return token.raw;
  }
}
const item = (entry) => html`<li>${all(entry.tokens)}</li>`;

export const Code = ({ text, lang }) => html`<figure class="code"><figcaption><span>${lang || "text"}</span>
  <button type="button" class="ghost small" onClick=${() => navigator.clipboard?.writeText(text)}><${Icon} name="copy" size="13" /> Copy</button></figcaption>
  <pre tabindex="0" aria-label=${"Code" + (lang ? ", " + lang : "")}><code>${text}</code></pre></figure>`;

export const Markdown = ({ text }) => html`<div class="prose">${useMemo(() => all(marked.lexer(text)), [text])}</div>`;
