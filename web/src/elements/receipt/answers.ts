import { nameOf, sectionsOf } from "../../core/form.ts";
import type { Answer, Field, Form } from "../../core/generated/wire.ts";
import { ownValue } from "../../core/path.ts";
import { html, type Template } from "../html.ts";
import { labelOf } from "../labels.ts";
import { onDemand } from "../ondemand.ts";
import { tickIcon } from "../statusicons.ts";
import type { GetText } from "../text.ts";
import type { SettledRequest } from "./settled.ts";

const drawMark = (isChosen: boolean, label: string, getText: GetText): Template =>
  html`<li class=${isChosen && "chosen"}>
    <span class="mark">${isChosen && tickIcon}</span>
    <span>${label}${isChosen && html`<span class="hidden"> (${getText("chosen")})</span>`}</span>
  </li>`;

function drawValue(field: Field, answer: Answer, { locale, getText }: SettledRequest): Template | string {
  if (ownValue(answer.skipped, field.id))
    return html`<span class="missing">${getText("choices.skipped")}</span>`;
  if (!("options" in field) || field.options_from || field.options.length > 8)
    return (
      onDemand.valueText?.(field, answer, locale, getText) ||
      html`<span class="missing">${getText("not_given")}</span>`
    );
  const unlisted = new Set<unknown>([ownValue(answer.values, field.id) ?? []].flat());
  return html`<ul>
    ${field.options.map((option) => drawMark(unlisted.delete(option.value), labelOf(field, option, getText), getText))}
    ${[...unlisted].map((value) => drawMark(true, `${getText("other")}: ${value}`, getText))}
  </ul>`;
}

/** The answer, field by field. */
export function drawAnswers(view: SettledRequest, form: Form, answer: Answer): Template {
  const hasAnswer = ({ id }: Field): boolean =>
    [answer.values, answer.skipped].some((part) => part && Object.hasOwn(part, id));
  const isShown = (field: Field): boolean => !field.visible_if || hasAnswer(field);
  return html`<div class="given">${sectionsOf(form).map(
    ({ title, fields, visible_if }) =>
      (!visible_if || fields.some(hasAnswer)) &&
      html`<div>
        ${title && html`<p><strong>${title}</strong></p>`}
        <dl>${fields.filter(isShown).map((field) => html`<div><dt>${nameOf(form, field)}</dt><dd>${drawValue(field, answer, view)}</dd></div>`)}</dl>
      </div>`,
  )}</div>`;
}
