import { html, type Template } from "../../elements/html.ts";

/** Draw a button of the bar above the open item; a narrow window shows its icon alone. */
export const drawTool = (id: string, icon: Template, label: string, press: () => void): Template =>
  html`<button type="button" class="quiet tool" id=${id} title=${label} .onclick=${press}>${icon}<span>${label}</span></button>`;
