// What a screen reads from the API when it is opened.
import { useEffect, useState } from "../vendor/preact-htm.js";
import { get } from "./net.js";
import { html } from "./ui.js";

export function useData(path) {
  const [data, set] = useState(null);
  const [problem, setProblem] = useState("");
  const load = () => get(path).then((found) => { setProblem(""); set(found); return found; }, (error) => setProblem(error.message));
  useEffect(() => { load(); }, [path]);
  return { data, problem, load, set, setProblem };
}
export const Problem = ({ text }) => text && html`<p class="note bad" role="alert">${text}</p>`;
export const when = (seconds) => new Date(seconds * 1000).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

const STEPS = [[60, "second"], [3600, "minute", 60], [86400, "hour", 3600], [604800, "day", 86400], [2629800, "week", 604800], [Infinity, "month", 2629800]];
export function ago(seconds) {
  const past = Math.max(0, Date.now() / 1000 - seconds), [, unit, size = 1] = STEPS.find(([most]) => past < most);
  return new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(-Math.floor(past / size), unit);
}
