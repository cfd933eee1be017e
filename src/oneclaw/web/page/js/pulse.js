// The pulsing line while a run is going: a word that changes every three seconds, and what is being done.
import { label } from "./state.js";
import { t } from "./texts.js";
import { html, useTick } from "./ui.js";

export function Pulse({ turn }) {
  const tick = useTick(3000);
  const busy = Object.values(turn?.calls ?? {}).filter((call) => call.status === "executing" && !call.parent && call.key.startsWith(turn.run + "/"));
  const summary = busy.length === 0 ? "" : ` · ${busy.length === 1 ? label(busy[0].tool, busy[0].label) : t("wait.tools", { count: busy.length })}`;
  return html`<p class="pulse"><span class="dot"></span><span>${t("wait." + (tick % 3))}${summary}</span></p>`;
}
