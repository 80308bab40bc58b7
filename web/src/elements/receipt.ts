import { own, shorten } from "../core/path.ts";
import type { Answer, Field, Form, InputRequest, Values } from "../core/wire.ts";
import { collect, type Draft, start } from "./draft.ts";
import { html, type Template } from "./html.ts";
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
    request.settled_at && when(request.settled_at, locale),
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
function late(view: Settled): Template {
  const text = unsent(view);
  return html`${view.lost && html`<span class="by"><strong>${view.say("lost")}</strong></span>`}${
    text && html`<span class="by">${view.say("unsent", { text })}</span>`
  }`;
}

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
    ${field.options.map(({ value, label }) => mark(left.delete(value), label, say))}
    ${[...left].map((value) => mark(true, `${say("other")}: ${value}`, say))}
  </ul>`;
}

function inputs(view: Settled, form: Form, answer: Answer): Template {
  const sections = form.sections ?? [{ title: "", fields: form.fields ?? [] }];
  return html`<div class="given">${sections.map(
    ({ title, fields }) => html`<div>
      ${title && html`<p><strong>${title}</strong></p>`}
      <dl>${fields.map((field) => html`<div><dt>${field.label}</dt><dd>${given(field, answer, view)}</dd></div>`)}</dl>
    </div>`,
  )}</div>`;
}

/** How many characters stand for an answer that can be opened. */
const LINE = 300;

/** An answered request: one line that opens to what was answered. */
export function drawReceipt(view: Settled): Template {
  const { request, say, locale } = view;
  const { form, answer } = request;
  const opens = form && answer && form.completed_view?.show_inputs !== false;
  const text = form && answer ? answerLine(form, answer, locale, say) : "";
  const line = html`<span class="tick">${icons.tick}</span>
    <span class="line"
      ><span class="q">${questionOf(request)}</span><span aria-hidden="true"> → </span
      ><span class="hidden">: </span><span class="a">${opens ? shorten(text, LINE) : text}</span
      ><span class="by">${byline("answered_by", view)}</span>${late(view)}</span
    >`;
  if (!opens) return html`<div class="card plain" part="card" tabindex="-1">${line}</div>`;
  return html`<details class="card" part="card">
    <summary>${line}<span class="chevron">${icons.down}</span></summary>
    ${inputs(view, form, answer)}
  </details>`;
}

/** A request that ended without an answer, and why. */
export function drawEnded(view: Settled): Template {
  const { request, say } = view;
  const { status, reason, note } = request;
  const icon = status === "expired" ? icons.clock : reason === "skipped" ? icons.skip : icons.cross;
  const key =
    status === "expired" ? status : `${status}.${reason ?? (status === "declined" ? "dismissed" : "failed")}`;
  return html`<div class="card plain" part="card" tabindex="-1">
    ${icon}
    <div>
      <p><strong>${questionOf(request)}</strong></p>
      <p class="by">${status === "declined" ? byline(key, view) : say(key)}</p>
      ${note && html`<p class="by">“${note}”</p>`} ${late(view)}
    </div>
  </div>`;
}
