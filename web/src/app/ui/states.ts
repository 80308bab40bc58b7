import { html, type Template } from "../../elements/html.ts";
import type { GetText } from "../../elements/text.ts";
import { placeIcons } from "../icons.ts";

export interface EmptyState {
  readonly icon?: Template;
  readonly title: string;
  /** What will appear here. */
  readonly text?: string;
  /** The lines of code that make it appear. */
  readonly code?: string;
  readonly action?: unknown;
}

/** Draw a list without entries: what will appear, and how to make it appear. */
export const drawEmpty = ({
  icon,
  title,
  text,
  code,
  action,
}: EmptyState): Template => html`<div class="empty">
  ${icon}
  <h2>${title}</h2>
  ${text && html`<p>${text}</p>`}
  ${code && html`<div class="sample"><pre dir="ltr"><code>${code}</code></pre><askback-copy .text=${code}></askback-copy></div>`}
  ${action}
</div>`;

/** Draw the place of what is being fetched, without anything that moves. */
export const drawLoading = (getText: GetText): Template =>
  html`<p class="loading" role="status">${getText("loading")}</p>`;

/** Draw that something could not be fetched, and the way to try again. */
export const drawError = (
  getText: GetText,
  retry: () => void,
): Template => html`<div class="empty" role="alert">
  ${placeIcons.warn}
  <h2>${getText("app.failed")}</h2>
  <p>${getText("app.failed_hint")}</p>
  <button type="button" .onclick=${retry}>${getText("app.again")}</button>
</div>`;
