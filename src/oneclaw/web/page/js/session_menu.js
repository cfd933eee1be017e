// What can be done with a conversation: rename, copy, delete.
import { useEffect, useRef, useState } from "../vendor/preact-htm.js";
import { post } from "./net.js";
import { attempt, forget, loadSessions } from "./state.js";
import { t } from "./texts.js";
import { Dialog, Field, Icon, IconButton, html } from "./ui.js";

const ICONS = { rename: "edit", fork: "copy", remove: "trash" };

export function SessionMenu({ session, small }) {
  const [open, setOpen] = useState(false);
  const [doing, setDoing] = useState("");
  const box = useRef();
  useEffect(() => {
    if (!open) return undefined;
    box.current.querySelector("[role=menuitem]").focus();
    const leave = (event) => { if (!box.current?.contains(event.target)) setOpen(false); };
    addEventListener("pointerdown", leave);
    return () => removeEventListener("pointerdown", leave);
  }, [open]);
  const shut = () => { setOpen(false); box.current.querySelector("button").focus(); };
  const keys = (event) => {
    if (!open) return;
    const items = [...box.current.querySelectorAll("[role=menuitem]")], at = items.indexOf(document.activeElement);
    if (event.key === "Escape") { event.preventDefault(); shut(); }
    if (event.key === "Tab") setOpen(false);
    if (event.key === "ArrowDown" || event.key === "ArrowUp") { event.preventDefault(); items[(at + (event.key === "ArrowDown" ? 1 : items.length - 1)) % items.length].focus(); }
  };
  const done = (work) => attempt(work.then(loadSessions).then(() => setDoing("")));
  const rename = (event) => { event.preventDefault(); done(post(`/sessions/${session.id}/rename`, { title: new FormData(event.target).get("title").trim() })); };
  const remove = () => done(post(`/sessions/${session.id}/remove`).then(() => { forget(session.id); if (location.hash.endsWith(session.id)) location.hash = "#/chat"; }));
  const pick = (verb) => {
    setOpen(false);
    if (verb === "fork") done(post(`/sessions/${session.id}/fork`).then((made) => { location.hash = "#/chat/" + made.id; }));
    else setDoing(verb);
  };
  return html`<div class=${"menu" + (small ? " small-menu" : "")} ref=${box} onKeyDown=${keys}>
    <${IconButton} icon="more" label=${t("chat.more", { title: session.title })} aria-haspopup="menu" aria-expanded=${open} onClick=${() => setOpen(!open)} />
    ${open && html`<div class="menu-list" role="menu" aria-label=${t("chat.more", { title: session.title })}>${Object.keys(ICONS).map((verb) => html`<button type="button" role="menuitem" class=${verb === "remove" ? "quiet-bad" : "ghost"} onClick=${() => pick(verb)}><${Icon} name=${ICONS[verb]} /> ${t("chat." + verb)}</button>`)}</div>`}
    ${doing === "rename" && html`<${Dialog} title=${t("chat.rename")} close=${() => setDoing("")}><form class="form-in" onSubmit=${rename}><${Field} name=${t("chat.rename.ask")}><input name="title" defaultValue=${session.title} required maxlength="200" autofocus /></>
      <p class="row end"><button type="button" onClick=${() => setDoing("")}>${t("cancel")}</button><button type="submit" class="primary">${t("save")}</button></p></form></>`}
    ${doing === "remove" && html`<${Dialog} title=${t("chat.remove.ask")} close=${() => setDoing("")}><p>${session.title}</p><p class="faint">${t("chat.remove.text")}</p>
      <p class="row end"><button type="button" autofocus onClick=${() => setDoing("")}>${t("cancel")}</button><button type="button" class="danger" onClick=${remove}>${t("chat.remove")}</button></p></>`}
  </div>`;
}
