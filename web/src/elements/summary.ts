import { html, type Template } from "./html.ts";
import { icons } from "./icons.ts";

/** One line of the summary; without `go` there is no field to lead to. */
export interface Problem {
  text: string;
  go?: () => void;
}

/**
 * The error summary of GOV.UK: a box that takes the focus, with the alert inside it.
 *
 * The alert must be a child of what is focused, or screen readers read it twice (govuk-frontend#2677).
 */
export function drawProblems(heading: string, problems: readonly Problem[], action?: Template): Template {
  const line = ({ text, go }: Problem): Template => {
    const follow = (event: Event): void => {
      event.preventDefault();
      go?.();
    };
    return html`<li>${go ? html`<a href="#problem" .onclick=${follow}>${text}</a>` : text}</li>`;
  };
  return html`<div class="box" id="problems" tabindex="-1">
    <div role="alert">
      <p class="strong">${icons.warn} ${heading}</p>
      ${problems.length > 0 && html`<ul>${problems.map(line)}</ul>`}
    </div>
    ${action}
  </div>`;
}
