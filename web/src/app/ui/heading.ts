import { html, type Template } from "../../elements/html.ts";

/** Draw the head of a place: its name, a line about it, and its actions. */
export const drawHeading = (title: string, about?: unknown, actions?: unknown): Template =>
  html`<header class="head">
    <h1 tabindex="-1">${title}</h1>
    ${about && html`<p class="about">${about}</p>`}
    ${actions && html`<div class="actions">${actions}</div>`}
  </header>`;
