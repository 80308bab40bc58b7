import { html, nothing, type TemplateResult } from "lit/html.js";
import { type Answer, allFields, type Field, type InputRequest, type Values } from "../core/wire.ts";
import { collect, type Draft, start } from "./draft.ts";
import { icons } from "./icons.ts";
import { answerLine, questionOf, valueText } from "./show.ts";
import { type Say, when } from "./text.ts";

/** What the settled views need besides the request. */
export interface Settled {
  request: InputRequest;
  say: Say;
  locale: string;
  /** This element sent something, and somebody else was first. */
  lost: boolean;
  /** What this person had entered, unless it was sent. */
  draft: Draft | null;
}

const byline = (key: string, { request, say, locale }: Settled): string =>
  [
    say(key, { name: request.settled_by?.name ?? say("someone") }),
    request.settled_at ? when(request.settled_at, locale) : "",
  ]
    .filter(Boolean)
    .join(" · ");

/** What was entered and never arrived; empty where it is what the form began with, or the answer. */
function unsent({ request, draft, locale, say }: Settled): string {
  const { form, answer } = request;
  if (!form || !draft) return "";
  const line = (values: Values) =>
    answerLine({ ...form, completed_view: null }, { values }, locale, say).trim();
  const entered = line(collect(form, draft, locale));
  const known = [line(collect(form, start(form, locale), locale)), line(answer?.values ?? {})];
  return known.includes(entered) ? "" : entered;
}

/** That somebody else was first, and what this person had entered: nothing is dropped in silence (K2). */
function late(view: Settled): TemplateResult {
  const text = unsent(view);
  return html`${view.lost ? html`<span class="by"><strong>${view.say("lost")}</strong></span>` : nothing}${
    text ? html`<span class="by">${view.say("unsent", { text })}</span>` : nothing
  }`;
}

function mark(chosen: boolean, label: string, say: Say): TemplateResult {
  return html`<li class=${chosen ? "chosen" : ""}>
    <span class="mark">${chosen ? icons.tick : nothing}</span>
    <span>${label}${chosen ? html`<span class="hidden"> (${say("chosen")})</span>` : nothing}</span>
  </li>`;
}

function given(field: Field, answer: Answer, { locale, say }: Settled): TemplateResult {
  const value = Object.hasOwn(answer.values, field.id) ? answer.values[field.id] : undefined;
  if (!("options" in field) || field.options.length > 8) {
    const text = valueText(field, answer, locale, say);
    return text ? html`${text}` : html`<span class="missing">${say("not_given")}</span>`;
  }
  const values = (Array.isArray(value) ? value : [value]).filter((item) => typeof item === "string");
  const known = new Set(field.options.map((option) => option.value));
  return html`<ul>
    ${field.options.map((option) => mark(values.includes(option.value), option.label, say))}
    ${values.filter((item) => !known.has(item)).map((item) => mark(true, `${say("other")}: ${item}`, say))}
  </ul>`;
}

function inputs(view: Settled, answer: Answer): TemplateResult {
  const form = view.request.form;
  const sections = form?.sections ?? [{ id: "", title: "", fields: form ? allFields(form) : [] }];
  return html`<div class="given" part="answers">
    ${sections.map(
      (section) => html`<div>
        ${section.title ? html`<p><strong>${section.title}</strong></p>` : nothing}
        <dl>
          ${section.fields.map(
            (field) => html`<div>
              <dt>${field.label}</dt>
              <dd>${given(field, answer, view)}</dd>
            </div>`,
          )}
        </dl>
      </div>`,
    )}
  </div>`;
}

/** An answered request: one line that opens to what was answered. */
export function drawReceipt(view: Settled): TemplateResult {
  const { request, say, locale } = view;
  const answer = request.answer ?? { values: {} };
  const text = request.form ? answerLine(request.form, answer, locale, say) : "";
  const line = html`<span class="tick">${icons.tick}</span>
    <span class="line"
      ><span class="q">${questionOf(request)}</span><span aria-hidden="true"> → </span
      ><span class="hidden">: </span><span class="a">${text}</span
      ><span class="by">${byline("answered_by", view)}</span>${late(view)}</span
    >`;
  if (request.form?.completed_view?.show_inputs === false)
    return html`<div class="card plain" part="card" tabindex="-1">${line}</div>`;
  return html`<details class="card" part="card">
    <summary>${line}<span class="chevron">${icons.down}</span></summary>
    ${inputs(view, answer)}
  </details>`;
}

const ICONS = {
  skipped: icons.skip,
  dismissed: icons.cross,
  refused: icons.cross,
  cancelled: icons.cross,
  expired: icons.clock,
};

/** A request that ended without an answer, and why. */
export function drawEnded(view: Settled): TemplateResult {
  const { request } = view;
  const { status, reason, note } = request;
  const key = status === "declined" ? (reason ?? "dismissed") : status;
  const text = status === "cancelled" ? view.say(`cancelled.${reason ?? "failed"}`) : view.say(status);
  return html`<div class="card plain" part="card" tabindex="-1">
    ${ICONS[key as keyof typeof ICONS] ?? icons.cross}
    <div>
      <p><strong>${questionOf(request)}</strong></p>
      <p>${status === "declined" ? byline(`declined.${key}`, view) : text}</p>
      ${note ? html`<p>“${note}”</p>` : nothing} ${late(view)}
    </div>
  </div>`;
}
