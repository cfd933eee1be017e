// The icons, one path each, and the mark of OneClaw.
import { html } from "../vendor/preact-htm.js";

const PATHS = {
  plus: "M8 3v10M3 8h10", check: "M3 8.6l3.3 3L13 4.6", x: "M4 4l8 8M12 4l-8 8",
  right: "M6 3.5 10.5 8 6 12.5", left: "M10 3.5 5.5 8l4.5 4.5", down: "M3.5 6 8 10.5 12.5 6",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.7 10.7 14 14",
  clock: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.3 1.5",
  shield: "M8 1.8 13 3.6v4c0 3.2-2.1 5.4-5 6.6-2.9-1.2-5-3.4-5-6.6v-4z",
  terminal: "M2 3h12v10H2zM4.5 6l2 2-2 2M8.5 10h3", canvas: "M2 3h12v10H2zM9.2 3v10",
  file: "M4 1.8h5l3.5 3.5v8.9H4zM9 1.8v3.5h3.5", folder: "M1.8 3.8h4.4l1.5 1.8h6.5v7.2H1.8z",
  globe: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM2 8h12M8 2c1.9 1.8 2.6 3.8 2.6 6S9.9 12.2 8 14c-1.9-1.8-2.6-3.8-2.6-6S6.1 3.8 8 2",
  memory: "M4 2h8v12l-4-3-4 3z", sliders: "M2 4.5h6.5M12.5 4.5H14M2 11.5h1.5M7.5 11.5H14M10.5 6.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM5.5 13.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
  key: "M10.3 9.2a3.6 3.6 0 1 0-3.4-2.5L2 11.6V14h2.6v-1.5h1.6V11h1.2l1-1.1a3.6 3.6 0 0 0 1.9-.7zM11 5.3h.01",
  plug: "M5.5 2v3M10.5 2v3M3.5 5h9v2.5a4.5 4.5 0 0 1-9 0zM8 12v2.5", list: "M2.5 4h11M2.5 8h11M2.5 12h7",
  calendar: "M2.5 3.5h11v10h-11zM2.5 6.8h11M5.5 2v3M10.5 2v3", agent: "M3 5.5h10v7.5H3zM8 5.5V2.8M6 8.8v1M10 8.8v1",
  up: "M8 13V3M3.8 7.2 8 3l4.2 4.2", stop: "M4.8 4.8h6.4v6.4H4.8z", copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  undo: "M5.5 3 2.5 6l3 3M2.5 6h6.8a4 4 0 0 1 0 8H6", speak: "M2.5 6.2v3.6h2.3L8 12.5v-9L4.8 6.2zM10.4 6a3 3 0 0 1 0 4M12.2 4a6 6 0 0 1 0 8", bell: "M8 2.2a3.8 3.8 0 0 1 3.8 3.8c0 3.4 1.2 4.6 1.2 4.6H3s1.2-1.2 1.2-4.6A3.8 3.8 0 0 1 8 2.2zM6.7 13a1.4 1.4 0 0 0 2.6 0", play: "M5 3.2 12.5 8 5 12.8z", help: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM6.2 6.3a1.9 1.9 0 1 1 2.7 1.8c-.6.3-.9.7-.9 1.3M8 11.4v.01",
  retry: "M13 8a5 5 0 1 1-1.6-3.7M13.2 2v3h-3", edit: "M9.7 3.3l3 3L6 13H3v-3z", more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  image: "M2 3h12v10H2zM2 11.2l3.4-3.4L9 11.4l2-2 3 3M10.6 6.2h.01", code: "M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5",
  branch: "M4 2.5v5.2a3 3 0 0 0 3 3h5M9.6 8.2l2.5 2.5-2.5 2.5", warn: "M8 2.4 14.4 13.4H1.6zM8 6.6v3M8 11.5v.01",
  denied: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM3.9 3.9l8.2 8.2", menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  attach: "M12.6 7.4 7.7 12.3a3 3 0 0 1-4.2-4.2L9 2.6a2 2 0 0 1 2.8 2.8L6.4 10.8A1 1 0 0 1 5 9.4l4.6-4.6",
  trash: "M3 4.5h10M6 4.5v-2h4v2M4.6 4.5l.6 9h5.6l.6-9", download: "M8 2.5v8M4.5 7 8 10.5 11.5 7M3 13.5h10",
  box: "M8 1.8 14 5v6l-6 3.2L2 11V5zM2 5l6 3.2L14 5M8 8.2v6", offline: "M2 2l12 12M3 7.4a7 7 0 0 1 2.6-1.6M8 5.2a7 7 0 0 1 5 2.2M5.2 9.8a4 4 0 0 1 2-1.1M8 12.4v.01",
  sun: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9",
  chat: "M2.5 3h11v8H7l-3 2.6V11H2.5z", grid: "M2.5 2.5h4.5V7H2.5zM9 2.5h4.5V7H9zM2.5 9H7v4.5H2.5zM9 9h4.5v4.5H9z", pause: "M5.5 3.5v9M10.5 3.5v9", spark: "M8 2v4M8 10v4M2 8h4M10 8h4",
};
export const Icon = ({ name, size = 16 }) => html`<svg class="i" data-i=${name} width=${size} height=${size} viewBox="0 0 16 16" aria-hidden="true"><path d=${PATHS[name]} /></svg>`;

export const Mark = ({ size = 22 }) => html`<svg class="mark" width=${size} height=${size} viewBox="0 0 24 24" aria-hidden="true"><path d="M18.5 5.2A9 9 0 1 0 21 13M14.6 10.4 20.8 6" /><circle cx="12" cy="12.6" r="2.3" /></svg>`;

const OF_TOOL = [[/time|date|schedule/, "clock"], [/^(read|open|delete|move|copy)_file|document/, "file"], [/write|edit|patch|note/, "edit"], [/list_|find_files|folder|director/, "folder"], [/search|grep|find/, "search"], [/http|url|web|page|location|weather/, "globe"], [/shell|command|process|exec/, "terminal"], [/script|code|javascript|python|calc/, "code"], [/memor|remember|recall/, "memory"], [/image|picture|chart|draw|screenshot/, "image"], [/^ask_|agent/, "agent"], [/skill/, "spark"]];
export const iconOf = (tool) => OF_TOOL.find(([pattern]) => pattern.test(tool))?.[1] ?? "box";
