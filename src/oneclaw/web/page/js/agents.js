import { html } from "./ui.js";
export default () => html`<h1>Soon</h1>`;
