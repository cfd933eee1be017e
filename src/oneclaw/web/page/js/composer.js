// The composer: a message, its files, the agent and the model that answer; send turns into stop.
import { useEffect, useRef, useState } from "../vendor/preact-htm.js";
import { get, upload } from "./net.js";
import { attempt, fail, useStore } from "./state.js";
import { t } from "./texts.js";
import { Icon, IconButton, html, money, say } from "./ui.js";

function Picker({ name, icon, value, options, onPick }) {
  return html`<label class="picker" title=${name}><span class="sr">${name}</span><${Icon} name=${icon} size="14" /><select value=${value} onChange=${(event) => onPick(event.target.value)}>${options.map(([id, text]) => html`<option value=${id}>${text ?? id}</option>`)}</select><${Icon} name="down" size="12" /></label>`;
}

// Skills that a message may begin with: `/name`.
function useSkills(draft) {
  const [skills, set] = useState(null);
  const isAsked = /^\/[\w-]*$/.test(draft);
  useEffect(() => { if (isAsked && !skills) get("/skills").then((found) => set(found.skills ?? found), () => set([])); }, [isAsked]);
  return isAsked ? (skills ?? []).filter((one) => one.name.startsWith(draft.slice(1))).slice(0, 8) : [];
}

export function Composer({ running, cost, agent, model, onAgent, onSend, onStop }) {
  const { start } = useStore();
  const area = useRef(), chooser = useRef(), message = useRef(crypto.randomUUID()); // sent again after a lost answer, it has the same id
  const [draft, setDraft] = useState("");
  const [at, setAt] = useState(0);
  const [files, setFiles] = useState([]);
  const [chosenModel, setModel] = useState("");
  const [over, setOver] = useState(false);
  const skills = useSkills(draft);
  const grow = () => { const box = area.current; box.style.height = "auto"; box.style.height = Math.min(box.scrollHeight, innerHeight * 0.4) + "px"; };
  const write = (text) => { area.current.value = text; setDraft(text); grow(); };
  const attach = async (list) => {
    for (const file of list) {
      const key = Math.random();
      setFiles((all) => [...all, { key, name: file.name }]);
      try {
        const kept = await upload(file);
        setFiles((all) => all.map((one) => one.key === key ? { ...one, path: kept.path } : one));
        say(t("attach.done", { name: file.name }));
      } catch (error) { setFiles((all) => all.filter((one) => one.key !== key)); fail(error); }
    }
  };
  const send = () => {
    const text = area.current.value.trim();
    if (!text || files.some((file) => !file.path)) return;
    const sent = files;
    write(""); setFiles([]);
    onSend(text, { model: chosenModel, files: sent.map((file) => file.path), message: message.current }).then(() => { message.current = crypto.randomUUID(); }, (error) => { write(text); setFiles(sent); fail(error); });
  };
  const complete = (skill) => { write(`/${skill.name} `); area.current.focus(); };
  const keys = (event) => {
    if (skills.length && (event.key === "ArrowDown" || event.key === "ArrowUp")) { event.preventDefault(); setAt((at + (event.key === "ArrowDown" ? 1 : skills.length - 1)) % skills.length); }
    else if (skills.length && (event.key === "Tab" || event.key === "Enter") && skills[at]) { event.preventDefault(); complete(skills[at]); }
    else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); send(); }
  };
  const drop = (event) => { if (event.dataTransfer?.files.length) { event.preventDefault(); setOver(false); attempt(attach([...event.dataTransfer.files])); } };
  const paste = (event) => { if (event.clipboardData?.files.length) { event.preventDefault(); attempt(attach([...event.clipboardData.files])); } };
  const agents = start.agents.filter((one) => !one.problem).map((one) => [one.name]);
  const known = start.models.map((one) => one.model).filter((one) => !one.endsWith("…"));
  const own = chosenModel || model || start.default_model;
  const models = [...new Set([own, ...known].filter(Boolean))].map((one) => [one]);
  return html`<form class=${"composer" + (over ? " over" : "")} onSubmit=${(event) => { event.preventDefault(); send(); }} onDragOver=${(event) => { event.preventDefault(); setOver(true); }} onDragLeave=${() => setOver(false)} onDrop=${drop}>
    ${skills.length > 0 && html`<ul class="skills" role="listbox" aria-label=${t("skills")} id="skills">${skills.map((one, i) => html`<li id=${"skill-" + i} role="option" aria-selected=${i === at} onMouseMove=${() => setAt(i)} onClick=${() => complete(one)}><b>/${one.name}</b><span class="clip">${one.description}</span></li>`)}</ul>`}
    ${files.length > 0 && html`<p class="files row wrap">${files.map((file) => html`<span class="chip" key=${file.key}>${file.path ? html`<${Icon} name="file" size="13" />` : html`<span class="spin"></span>`}${file.name}<button type="button" class="ghost chip-x" aria-label=${t("attach.remove", { name: file.name })} onClick=${() => setFiles(files.filter((one) => one !== file))}><${Icon} name="x" size="11" /></button></span>`)}</p>`}
    <label class="sr" for="message">${t("composer.label")}</label>
    <textarea id="message" ref=${area} rows="1" placeholder=${t(running ? "composer.running" : "composer.empty")} onInput=${(event) => { setDraft(event.target.value); setAt(0); grow(); }} onKeyDown=${keys} onPaste=${paste} aria-controls=${skills.length ? "skills" : undefined} aria-activedescendant=${skills.length ? "skill-" + at : undefined}></textarea>
    <div class="composer-row">
      <input type="file" multiple hidden ref=${chooser} onChange=${(event) => { attempt(attach([...event.target.files])); event.target.value = ""; }} />
      <${IconButton} icon="attach" label=${t("attach")} onClick=${() => chooser.current.click()} />
      <${Picker} name=${t("composer.agent")} icon="agent" value=${agent || "default"} options=${agents} onPick=${onAgent} />
      ${models.length > 0 && html`<${Picker} name=${t("composer.model")} icon="spark" value=${own} options=${models} onPick=${setModel} />`}
      <span class="grow"></span>
      ${cost > 0 && html`<span class="usage" title=${t("composer.cost")}>${money(cost)}</span>`}
      ${running && !draft.trim() ? html`<button type="button" class="send stop" aria-label=${t("composer.stop")} title=${t("composer.stop") + " (Esc)"} onClick=${onStop}><${Icon} name="stop" /></button>`
        : html`<button type="submit" class="send" aria-label=${t("composer.send")} title=${t("composer.send") + " (Enter)"}><${Icon} name="up" /></button>`}
    </div></form>`;
}
