import { allFields, nameOf } from "../core/form.ts";
import type { Field, Form, InputRequest } from "../core/generated/wire.ts";
import { isOpen, isUnderway, mayDecline, stateOf, type View } from "../core/machine.ts";
import { ownValue } from "../core/path.ts";
import { blankOthers, type Draft, EMPTY, type Entry, hasOnlyChoices, oneClick, progress } from "./entries.ts";
import type { FieldView } from "./fieldview.ts";
import { html, type Template } from "./html.ts";
import { icons } from "./icons.ts";
import { draftStore } from "./loaddrafts.ts";
import { onDemand } from "./ondemand.ts";
import type { GetText } from "./text.ts";

/** A change of the form while a person fills it in. */
export interface Revision {
  /** Whether it has just been drawn, so that a click was meant for the form before. */
  readonly isFresh: boolean;
  /** The person sends what is entered now. */
  sent(): void;
  /** Draw that the form has changed, unless the summary of the problems says so, and the text of removed fields. */
  draw(host: FormHost): Template;
  /** Put the focus and the sensitive values back into their fields, once, after the changed form is drawn. */
  restore(): void;
  /** Return a text with the text of removed fields after it. */
  withRemoved(text: string): string;
}

/** The entries and actions that a form is drawn with. */
export interface FormHost {
  readonly view: View;
  readonly draft: Draft;
  readonly getText: GetText;
  readonly headingLevel: number | string;
  /** The questions that wait for a second yes. */
  readonly asking: readonly string[];
  /** The form with the fields that the person may answer now. */
  readonly open: Form;
  /** How the form has changed while the person saw it. */
  readonly revision: Revision | undefined;
  /** Whether text that was typed before the page was loaded was restored. */
  readonly restored: boolean;
  /** The reason why the form cannot be sent yet. */
  readonly blockedReason?: string | false;
  readonly host: { redraw(): void };
  /** Whether something is typed in a field of which the draft has nothing. */
  isTyped?(field: Field): boolean;
  /** Empty the control of such a field. */
  clear?(field: Field): void;
  drawField(view: FieldView): Template | false;
  /** The fields of the form, in their sections. */
  drawBody(request: InputRequest): unknown;
  /** The buttons. */
  drawActions(form: Form): Template;
  errorOf(field: Field): string | undefined;
  change(field: Field, next: Partial<Entry>): void;
  pick(field: Field, next: Partial<Entry>): void;
  submit(): void;
  confirm(yes: boolean): void;
  decline(reason: "skipped" | "dismissed"): void;
}

/** The id of the first control of a field, by its place in the form. */
export const uidOf = (form: Form, field: Field): string =>
  `f${allFields(form).findIndex(({ id }) => id === field.id)}`;

function fieldViewOf(
  host: FormHost,
  request: InputRequest,
  form: Form,
  field: Field,
  path: string,
): FieldView {
  const fields = allFields(form);
  const isMixed = fields.length > 1 && fields.some((item) => item.required);
  return {
    field: { ...field, label: nameOf(form, field) },
    uid: uidOf(form, field),
    entry: host.draft.get(field.id) ?? EMPTY,
    error: host.errorOf(field),
    optional: isMixed && !field.required,
    hasTitle: !field.label || (fields.length === 1 && field.label === form.title),
    disabled: ["submitting", "disabled"].includes(stateOf(host.view)),
    preset: ownValue(form.initial_values, field.id) ?? field.default ?? undefined,
    markdown: ownValue(request.view?.markdown, `${path}.description`),
    getText: host.getText,
    change: (next) => host.change(field, next),
    pick: oneClick(form) ? (next) => host.pick(field, next) : undefined,
  };
}

/** `path` is that of the fields in the request, under which the server files their Markdown trees. */
export const drawFields = (
  host: FormHost,
  request: InputRequest,
  form: Form,
  fields: readonly Field[],
  path: string,
) =>
  fields.map((field, index) =>
    host.drawField(fieldViewOf(host, request, form, field, `${path}.fields[${index}]`)),
  );

/** Draw a description, which may be Markdown; `path` is its place in the request. */
export function drawDescription(
  { getText }: Pick<FormHost, "getText">,
  request: InputRequest,
  text: string | null | undefined,
  path: string,
) {
  const tree = onDemand.rich?.(ownValue(request.view?.markdown, path), getText);
  return text && html`<div class=${tree ? "description rich" : "description"}>${tree ?? text}</div>`;
}

/** The title and description of the form. */
export function drawLead(host: FormHost, request: InputRequest, { title, description }: Form) {
  return (
    (title || description) &&
    html`<div class="lead">
      ${
        title &&
        html`<div class="title" role="heading" aria-level=${host.headingLevel} id="title">${title}</div>`
      }
      ${drawDescription(host, request, description, "form.description")}
    </div>`
  );
}

/** The reason why Submit is disabled, if it is. */
export function submitBlockedReason({ draft, getText, open: form, blockedReason }: FormHost): string | false {
  if (blockedReason) return blockedReason;
  if (!hasOnlyChoices(form)) return false;
  if (blankOthers(form, draft).length > 0) return getText("gate.other");
  const { done, total } = progress(form, draft);
  return done < total && getText(total === 1 ? "gate.single" : "gate.several", { done, all: total });
}

function drawSubmit(host: FormHost, form: Form, busy: string | false): Template {
  const blockedReason = submitBlockedReason(host);
  const [first, ...otherSections] = form.sections ?? [];
  const label = form.submit_label || (!otherSections.length && first?.submit_label) || host.getText("submit");
  return html`${blockedReason && html`<p class="note" id="gate">${blockedReason}</p>`}
    <button
      type="submit"
      class="primary"
      part="submit"
      aria-disabled=${!!blockedReason || !!busy || !!host.revision?.isFresh}
      aria-describedby=${blockedReason && "gate"}
    >${busy ? html`${icons.clock}${busy}` : label}</button>`;
}

/** Draw the buttons; `submit` is drawn in place of Submit, and `back` before it. */
export function drawActions(host: FormHost, form: Form, submit?: unknown, back?: unknown): Template {
  const state = stateOf(host.view);
  if (state === "disabled") return html`<p class="hint">${host.getText("disabled")}</p>`;
  const busy = state === "submitting" && host.getText(isUnderway(host.view));
  const clickField = oneClick(form);
  const drawDecline = (reason: "skipped" | "dismissed", label: string) =>
    html`<button type="button" class="quiet" aria-disabled=${!mayDecline(host.view)} .onclick=${() => host.decline(reason)}>${label}</button>`;
  return html`<div class="actions">
    ${form.allow_skip && drawDecline("skipped", host.getText("skip"))}
    ${drawDecline("dismissed", form.cancel_label || host.getText("cancel"))}
    ${back} ${submit ?? (!clickField || host.draft.get(clickField.id)?.other ? drawSubmit(host, form, busy) : busy && html`<p class="hint">${busy}</p>`)}
  </div>`;
}

/** The form with its actions; nothing is sent by the browser itself. */
export function drawForm(host: FormHost, request: InputRequest, form: Form): Template {
  const send = (event: Event): void => {
    event.preventDefault();
    host.submit();
  };
  return html`<form
    novalidate
    autocomplete="off"
    class=${oneClick(form) && "quick"}
    aria-busy=${host.view.phase === "submitting"}
    .onsubmit=${send}
  >
    ${host.drawBody(request)}
    ${host.restored && isOpen(host.view) && onDemand.drawDraftNotice?.(host, draftStore)}
    ${isOpen(host.view) && host.revision?.draw(host)}
    ${host.asking.length > 0 ? onDemand.drawConfirmation?.(host) : host.drawActions(form)}
  </form>`;
}
