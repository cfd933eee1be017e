// MCP servers: changes that wait for a yes first, word by word; then each server, its tools and its log.
import { useState } from "../vendor/preact-htm.js";
import { Problem, useData } from "./data.js";
import { post } from "./net.js";
import { t } from "./texts.js";
import { Chip, Empty, Page, html, say, visible } from "./ui.js";

const TONES = { ready: "ok", failed: "bad", "not approved": "warn", off: "" };
const first = (text) => text.split("\n")[0];

// What was approved, struck out; what is there now, marked.
const Words = ({ runs }) => html`<p class="words">${runs.map((run) => run.change === "removed" ? html`<del>${visible(run.text)}</del>` : run.change === "added" ? html`<ins>${visible(run.text)}</ins>` : visible(run.text))}</p>`;

function Held({ server, tool, approve }) {
  const [isAway, away] = useState(false);
  if (isAway) return null;
  return html`<li class="held"><div class="grow"><b>${t("mcp.held", { tool: tool.name, server: server.name })}</b><p class="faint">${tool.reason}</p>
    ${tool.differences.length ? tool.differences.map((one) => html`<div key=${one.field}><small>${one.field}</small><${Words} runs=${one.words} /></div>`) : html`<p>${visible(first(tool.description))}</p>`}
    <p class="row"><button type="button" class="primary" onClick=${() => away(true)}>${t("mcp.keep")}</button><button type="button" onClick=${() => approve(server, [tool.raw])}>${t("mcp.approve")}</button></p></div></li>`;
}

function ServerCard({ server, act, busy }) {
  const count = (state) => server.tools.filter((tool) => tool.state === state).length;
  const bad = server.tools.filter((tool) => tool.state === "quarantined");
  const isNew = server.state === "not approved" && server.tools.length === 0;
  return html`<li><div class="grow"><p class="row wrap"><b>${server.name}</b><${Chip} tone=${TONES[server.state] ?? ""}>${server.state}</><span class="faint">${t("mcp.counts", { on: count("on"), held: count("held"), bad: bad.length })}</span><span class="grow"></span>
      ${server.state !== "off" && html`<button type="button" class="small" disabled=${busy} onClick=${() => act(server, "test")}>${t(isNew ? "mcp.start" : "mcp.test")}</button>`}
      ${server.isTried && count("held") > 0 && html`<button type="button" class="small" disabled=${busy} onClick=${() => act(server, "approve")}>${t("mcp.all", { count: count("held") })}</button>`}</p>
    <code>${visible(server.shown)}</code>${server.sandbox && html` <span class="faint">${t("mcp.sandbox")}</span>`}
    <${Problem} text=${server.problem && visible(server.problem)} />
    ${bad.map((tool) => html`<p key=${tool.raw} class="note">${t("mcp.quarantined", { tool: visible(tool.raw) })} ${visible(tool.reason)}</p>`)}
    ${server.tools.length > 0 && html`<details><summary>${t("mcp.tools")}</summary><ul>${server.tools.map((tool) => html`<li key=${tool.raw}><code>${tool.name || visible(tool.raw)}</code> <${Chip}>${tool.state}</> ${visible(first(tool.description))}</li>`)}</ul></details>`}
    ${server.log.trim() && html`<details><summary>${t("mcp.log")}</summary><pre>${visible(server.log)}</pre></details>`}</div></li>`;
}

export default function Mcp() {
  const servers = useData("/mcp");
  const [busy, setBusy] = useState(""), [tried, setTried] = useState({});
  const act = (server, what, tools = []) => {
    setBusy(server.name);
    return post(`/mcp/${encodeURIComponent(server.name)}/${what}`, what === "approve" ? { tools, digest: server.digest } : {})
      .then((found) => { say(t("mcp.done", { server: server.name, count: found.tools.length })); servers.setProblem(""); setTried({ ...tried, [server.name]: what === "test" ? { ...found, isTried: true } : undefined }); return what === "approve" && servers.load(); }, (error) => servers.setProblem(error.message))
      .finally(() => setBusy(""));
  };
  const list = (servers.data ?? []).map((one) => tried[one.name] ?? one), held = list.flatMap((server) => server.tools.filter((tool) => tool.state === "held").map((tool) => [server, tool]));
  return html`<${Page} title=${t("page.mcp")} lead=${t("page.mcp.lead")} wide>
    <${Problem} text=${servers.problem} />
    ${held.length > 0 && html`<ul class="rows boxed">${held.map(([server, tool]) => html`<${Held} key=${server.name + tool.raw} server=${server} tool=${tool} approve=${(one, tools) => act(one, "approve", tools)} />`)}</ul>`}
    ${servers.data && !list.length ? html`<${Empty} icon="plug" title=${t("mcp.none")}>${t("mcp.none.text")}</>` : html`<ul class="rows boxed">${list.map((server) => html`<${ServerCard} key=${server.name} server=${server} act=${act} busy=${busy === server.name} />`)}</ul>`}</>`;
}
