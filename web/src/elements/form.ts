import { html, nothing, type TemplateResult } from "lit/html.js";
import { stateOf, type View } from "../core/machine.ts";
import { own } from "../core/path.ts";
import { allFields, type Field, type Form, type InputRequest, type Section } from "../core/wire.ts";
import { type Draft, type Entry, gated, oneClick, progress } from "./draft.ts";
import { drawField } from "./field.ts";
import type { FieldView } from "./fieldview.ts";
import { rich } from "./rich.ts";
import type { Say } from "./text.ts";

/** What the form needs of the element that holds it. */
export interface FormHost {
  readonly view: View;
  readonly draft: Draft;
  readonly say: Say;
  readonly headingLevel: number;
  /** The labels of the dangerous options that wait for a second yes. */
  readonly asking: readonly string[];
  readonly filters: ReadonlyMap<string, string>;
  errorOf(field: Field): string | undefined;
  change(field: Field, next: Partial<Entry>): void;
  search(field: Field, text: string): void;
  pick(field: Field, next: Partial<Entry>): void;
  submit(): void;
  confirm(yes: boolean): void;
  decline(reason: "skipped" | "dismissed"): void;
}

/** The id of the first control of a field, by its place in the form. */
export const uidOf = (form: Form, field: Field): string => `f${allFields(form).indexOf(field)}`;

function viewOf(host: FormHost, request: InputRequest, form: Form, field: Field): FieldView {
  const fields = allFields(form);
  const mixed = fields.length > 1 && fields.some((item) => item.required);
  const markdown = own(request.view?.markdown, pathOf(form, field));
  return {
    field,
    uid: uidOf(form, field),
    entry: host.draft.get(field.id) ?? { text: "", chosen: [], other: false, on: null },
    error: host.errorOf(field),
    optional: mixed && !field.required,
    titled: fields.length === 1 && field.label === form.title,
    disabled: ["submitting", "disabled"].includes(stateOf(host.view)),
    markdown,
    say: host.say,
    filter: host.filters.get(field.id) ?? "",
    change: (next) => host.change(field, next),
    search: (text) => host.search(field, text),
    pick: oneClick(form) ? (next) => host.pick(field, next) : undefined,
  };
}

/** The path of a field's description, under which the server files its Markdown tree. */
function pathOf(form: Form, field: Field): string {
  const sections = form.sections ?? [];
  const at = sections.findIndex((section) => section.fields.includes(field));
  const inside = sections[at]?.fields ?? form.fields ?? [];
  return `form.${at < 0 ? "" : `sections[${at}].`}fields[${inside.indexOf(field)}].description`;
}

const fieldsOf = (host: FormHost, request: InputRequest, form: Form, fields: readonly Field[]) =>
  fields.map((field) => drawField(viewOf(host, request, form, field)));

function drawSection(
  host: FormHost,
  request: InputRequest,
  form: Form,
  section: Section,
  at: number,
): TemplateResult {
  const tree = own(request.view?.markdown, `form.sections[${at}].description`);
  return html`<fieldset class="section" part="section">
    <legend>
      ${section.title ?? ""}
      ${section.optional ? html` <span class="tag">${host.say("optional")}</span>` : nothing}
    </legend>
    ${section.description ? drawDescription(section.description, tree) : nothing}
    ${fieldsOf(host, request, form, section.fields)}
  </fieldset>`;
}

function drawDescription(text: string, tree: Parameters<typeof rich>[0] | undefined): TemplateResult {
  return html`<div class=${tree ? "description rich" : "description"} part="description">${tree ? rich(tree) : text}</div>`;
}

/** The title and description of the form. */
export function drawLead(host: FormHost, request: InputRequest, form: Form): TemplateResult | typeof nothing {
  if (!form.title && !form.description) return nothing;
  const tree = own(request.view?.markdown, "form.description");
  return html`<div class="lead">
    ${
      form.title
        ? html`<div class="title" role="heading" aria-level=${host.headingLevel} id="title" part="title">${form.title}</div>`
        : nothing
    }
    ${form.description ? drawDescription(form.description, tree) : nothing}
  </div>`;
}

function drawSure(host: FormHost): TemplateResult {
  return html`<div class="sure" role="group" aria-labelledby="sure" part="confirm">
    ${host.asking.map((label) => html`<p id="sure"><strong>${host.say("sure", { label })}</strong></p>`)}
    <div class="actions">
      <button type="button" class="danger primary" @click=${() => host.confirm(true)}>${host.say("sure_yes")}</button>
      <button type="button" id="back" @click=${() => host.confirm(false)}>${host.say("sure_no")}</button>
    </div>
  </div>`;
}

/** What keeps Submit from being pressed yet, or null. */
function gateOf(host: FormHost, form: Form): string | null {
  if (!gated(form)) return null;
  const { done, all } = progress(form, host.draft);
  if (done >= all) return null;
  return all === 1 ? host.say("gate.one") : host.say("gate.many", { done, all });
}

function drawSubmit(host: FormHost, form: Form, busy: boolean): TemplateResult {
  const gate = gateOf(host, form);
  const sections = form.sections ?? [];
  const label =
    form.submit_label || (sections.length === 1 && sections[0]?.submit_label) || host.say("submit");
  return html`${gate ? html`<p class="note" id="gate">${gate}</p>` : nothing}
    <button
      type="submit"
      class="primary"
      part="submit"
      aria-disabled=${gate || busy ? "true" : nothing}
      aria-describedby=${gate ? "gate" : nothing}
    >
      ${busy ? html`<span class="spinner" aria-hidden="true"></span>${host.say("sending")}` : label}
    </button>`;
}

function drawActions(host: FormHost, form: Form): TemplateResult {
  const state = stateOf(host.view);
  if (state === "disabled") return html`<p class="hint">${host.say("disabled")}</p>`;
  const busy = state === "submitting";
  const quick = oneClick(form);
  const submits = !quick || host.draft.get(quick.id)?.other;
  const off = busy ? "true" : nothing;
  return html`<div class="actions" part="actions">
    ${submits ? drawSubmit(host, form, busy) : nothing}
    ${
      form.allow_skip
        ? html`<button type="button" class="quiet" part="skip" aria-disabled=${off} @click=${() => host.decline("skipped")}>
            ${host.say("skip")}
          </button>`
        : nothing
    }
    <button type="button" class=${quick ? "quiet" : "quiet end"} part="cancel" aria-disabled=${off} @click=${() => host.decline("dismissed")}>
      ${form.cancel_label || host.say("cancel")}
    </button>
  </div>`;
}

/** The form with its actions; nothing is sent by the browser itself. */
export function drawForm(host: FormHost, request: InputRequest, form: Form): TemplateResult {
  const send = (event: Event): void => {
    event.preventDefault();
    host.submit();
  };
  return html`<form
    novalidate
    autocomplete="off"
    class=${oneClick(form) ? "quick" : ""}
    aria-busy=${host.view.phase === "submitting" ? "true" : nothing}
    @submit=${send}
  >
    ${
      form.sections
        ? form.sections.map((section, at) => drawSection(host, request, form, section, at))
        : fieldsOf(host, request, form, form.fields ?? [])
    }
    ${host.asking.length > 0 ? drawSure(host) : drawActions(host, form)}
  </form>`;
}
