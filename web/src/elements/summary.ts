import type { FieldError } from "../core/generated/wire.ts";
import { html, type Template } from "./html.ts";
import { icons } from "./icons.ts";
import type { ErrorTarget } from "./kind.ts";
import type { GetText } from "./text.ts";

/** One line of the summary; `go` moves the focus to the control of the error, if it has one. */
interface Problem {
  text: string;
  onClick?: () => void;
}

/**
 * The error summary of GOV.UK: a box that takes the focus, with the alert inside it.
 *
 * The alert must be a child of the focused element, or screen readers read it twice (govuk-frontend#2677).
 */
export function drawProblems(heading: string, problems: readonly Problem[], action?: Template): Template {
  const line = ({ text, onClick }: Problem): Template => {
    const follow = (event: Event): void => {
      event.preventDefault();
      onClick?.();
    };
    return html`<li>${onClick ? html`<a href="#problem" .onclick=${follow}>${text}</a>` : text}</li>`;
  };
  return html`<div class="box" id="problems" tabindex="-1">
    <div role="alert">
      <p class="strong">${icons.warn} ${heading}</p>
      ${problems.length > 0 && html`<ul>${problems.map(line)}</ul>`}
    </div>
    ${action}
  </div>`;
}

/** The summary of the errors of a form, each with a link to its control, without those that were `cleared` since. */
export function drawErrors(
  summary: string | null,
  errors: readonly FieldError[],
  targetOf: (path: string) => ErrorTarget | undefined,
  clearedPaths: ReadonlySet<string>,
  getText: GetText,
): Template | false {
  const open = errors.flatMap(({ path, message }): Problem[] => {
    const target = targetOf(path);
    if (!target) return [{ text: message }];
    const text = target.label ? `${target.label}: ${message}` : message;
    return clearedPaths.has(target.path) ? [] : [{ text, onClick: target.go }];
  });
  return (open.length > 0 || summary !== null) && drawProblems(summary ?? getText("problem"), open);
}
