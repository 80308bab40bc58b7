import { nameOf, sectionsOf } from "../../core/form.ts";
import type { Answer, Field, Form } from "../../core/generated/wire.ts";
import { own } from "../../core/path.ts";
import { html, type Template } from "../html.ts";
import { tick } from "../marks.ts";
import { onDemand } from "../ondemand.ts";
import { labelOf } from "../show.ts";
import type { Say } from "../text.ts";
import type { Settled } from "./settled.ts";

const mark = (chosen: boolean, label: string, say: Say): Template =>
  html`<li class=${chosen && "chosen"}>
    <span class="mark">${chosen && tick}</span>
    <span>${label}${chosen && html`<span class="hidden"> (${say("chosen")})</span>`}</span>
  </li>`;

function drawValue(field: Field, answer: Answer, { locale, say }: Settled): Template | string {
  if (own(answer.skipped, field.id)) return html`<span class="missing">${say("choices.skipped")}</span>`;
  if (!("options" in field) || field.options_from || field.options.length > 8)
    return (
      onDemand.valueText?.(field, answer, locale, say) ||
      html`<span class="missing">${say("not_given")}</span>`
    );
  const left = new Set<unknown>([own(answer.values, field.id) ?? []].flat());
  return html`<ul>
    ${field.options.map((option) => mark(left.delete(option.value), labelOf(field, option, say), say))}
    ${[...left].map((value) => mark(true, `${say("other")}: ${value}`, say))}
  </ul>`;
}

/** The answer, field by field. */
export function drawGiven(view: Settled, form: Form, answer: Answer): Template {
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
