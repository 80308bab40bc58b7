import { html, nothing, type TemplateResult } from "lit/html.js";
import { icons } from "./icons.ts";
import type { Say } from "./text.ts";

/** One line of the summary; without `go` there is no field to lead to. */
export interface Problem {
  text: string;
  go: (() => void) | undefined;
}

/**
 * The error summary of GOV.UK: a box that takes the focus, with the alert inside it.
 *
 * The alert must be a child of what is focused, or screen readers read it twice (govuk-frontend#2677).
 */
export function drawProblems(problems: readonly Problem[], heading: string): TemplateResult {
  const follow = (event: Event, go: () => void): void => {
    event.preventDefault();
    go();
  };
  return html`<div class="box" id="problems" tabindex="-1" part="summary">
    <div role="alert">
      <p class="strong">${icons.warn} ${heading}</p>
      <ul>
        ${problems.map(
          ({ text, go }) =>
            html`<li>
              ${go ? html`<a href="#problem" @click=${(event: Event) => follow(event, go)}>${text}</a>` : text}
            </li>`,
        )}
      </ul>
    </div>
  </div>`;
}

/** Nobody knows whether it arrived: everything is kept, and trying again cannot answer twice. */
export function drawFailed(say: Say, detail: string | null, retry: () => void): TemplateResult {
  return html`<div class="box" id="problems" tabindex="-1" part="failed">
    <div role="alert">
      <p class="strong">${icons.warn} ${say("failed")}</p>
      ${detail ? html`<p>${detail}</p>` : nothing}
    </div>
    <button type="button" class="retry" @click=${retry}>${say("retry")}</button>
  </div>`;
}
