import { type Field, type Form, sectionsOf } from "../core/form.ts";
import { own, shorten } from "../core/path.ts";
import type { Answer } from "../core/wire.ts";
import { byline, drawLine, late, type Settled } from "./ended.ts";
import { html, type Template } from "./html.ts";
import { icons } from "./icons.ts";
import { answerLine, labelOf, questionOf, valueText } from "./show.ts";
import type { Say } from "./text.ts";

const mark = (chosen: boolean, label: string, say: Say): Template =>
  html`<li class=${chosen && "chosen"}>
    <span class="mark">${chosen && icons.tick}</span>
    <span>${label}${chosen && html`<span class="hidden"> (${say("chosen")})</span>`}</span>
  </li>`;

function given(field: Field, answer: Answer, { locale, say }: Settled): Template | string {
  if (!("options" in field) || field.options.length > 8)
    return valueText(field, answer, locale, say) || html`<span class="missing">${say("not_given")}</span>`;
  const left = new Set([own(answer.values, field.id) ?? []].flat());
  return html`<ul>
    ${field.options.map((option) => mark(left.delete(option.value), labelOf(field, option, say), say))}
    ${[...left].map((value) => mark(true, `${say("other")}: ${value}`, say))}
  </ul>`;
}

function inputs(view: Settled, form: Form, answer: Answer): Template {
  return html`<div class="given">${sectionsOf(form).map(
    ({ title, fields }) => html`<div>
      ${title && html`<p><strong>${title}</strong></p>`}
      <dl>${fields.map((field) => html`<div><dt>${field.label}</dt><dd>${given(field, answer, view)}</dd></div>`)}</dl>
    </div>`,
  )}</div>`;
}

/** How many characters stand for an answer that can be opened. */
const LINE = 300;

/** An answered form: one line that opens to what was answered. */
export function drawReceipt(view: Settled): Template | undefined {
  const { request, say, locale } = view;
  const { form, answer } = request;
  if (!form || !answer) return undefined;
  const opens = form.completed_view?.show_inputs !== false;
  const empty = Object.keys(answer.values ?? {}).length === 0;
  const text = empty ? say("nothing_given") : answerLine(form, answer, locale, say);
  const line = html`<span class="tick">${icons.tick}</span>
    <span class="line"
      ><span class="q">${questionOf(request)}</span><span aria-hidden="true"> → </span
      ><span class="hidden">: </span><span class="a">${opens ? shorten(text, LINE) : text}</span
      ><span class="by">${byline("answered_by", view)}</span>${late(view)}</span
    >`;
  return drawLine(line, opens && inputs(view, form, answer));
}
