import { html, nothing, type TemplateResult } from "lit/html.js";
import type { BooleanField, Field, MomentField, NumberField, TextField } from "../core/wire.ts";
import { describedBy, type FieldView, hintOf, typed } from "./fieldview.ts";
import { icons } from "./icons.ts";
import { drawOptions, yesNo } from "./options.ts";
import { localOf } from "./zone.ts";

const labelText = (view: FieldView): TemplateResult =>
  html`<span class=${view.titled ? "hidden" : "label"} part="label">${view.field.label}</span>${
    view.optional ? html` <span class="tag">${view.say("optional")}</span>` : nothing
  }`;

function notes(view: FieldView): TemplateResult {
  const hint = hintOf(view);
  return html`${hint ? html`<div class="hint" part="hint" id="${view.uid}-hint">${hint}</div>` : nothing}${
    view.error
      ? html`<p class="error" part="error" id="${view.uid}-error">${icons.warn} ${view.error}</p>`
      : nothing
  }`;
}

const wrap = (view: FieldView): string => (view.error ? "field wrong" : "field");
const invalid = (view: FieldView): "true" | typeof nothing => (view.error ? "true" : nothing);

function line(view: FieldView<TextField | NumberField>): TemplateResult {
  const { field, uid } = view;
  const number = field.type === "number";
  return html`<input
    part="input"
    id=${uid}
    type="text"
    class=${number ? "short" : ""}
    inputmode=${number ? "decimal" : nothing}
    autocomplete="off"
    placeholder=${field.placeholder ?? nothing}
    aria-required=${field.required ? "true" : nothing}
    aria-invalid=${invalid(view)}
    aria-describedby=${describedBy(view)}
    ?disabled=${view.disabled}
    .value=${view.entry.text}
    @input=${(event: Event) => view.change({ text: typed(event) })}
  />`;
}

function area(view: FieldView<TextField>): TemplateResult {
  return html`<textarea
    part="input"
    id=${view.uid}
    rows="4"
    placeholder=${view.field.placeholder ?? nothing}
    aria-required=${view.field.required ? "true" : nothing}
    aria-invalid=${invalid(view)}
    aria-describedby=${describedBy(view)}
    ?disabled=${view.disabled}
    .value=${view.entry.text}
    @input=${(event: Event) => view.change({ text: typed(event) })}
  ></textarea>`;
}

const INPUTS = { date: "date", time: "time", datetime: "datetime-local" } as const;

function moment(view: FieldView<MomentField>): TemplateResult {
  const { field } = view;
  const shown = (bound: string | null | undefined) =>
    bound ? (field.type === "datetime" ? localOf(bound) : bound) || nothing : nothing;
  const seconds =
    field.type === "time" && [field.default, field.min, field.max].some((t) => t?.split(":")[2]);
  return html`<input
    part="input"
    id=${view.uid}
    class="short"
    type=${INPUTS[field.type]}
    step=${seconds ? "1" : nothing}
    min=${shown(field.min)}
    max=${shown(field.max)}
    aria-required=${field.required ? "true" : nothing}
    aria-invalid=${invalid(view)}
    aria-describedby=${describedBy(view)}
    ?disabled=${view.disabled}
    .value=${view.entry.text}
    @input=${(event: Event) => view.change({ text: typed(event) })}
  />`;
}

function box(view: FieldView): TemplateResult {
  const { field, uid } = view;
  const asSwitch = field.type === "boolean" && field.widget !== "checkbox";
  return html`<div class=${wrap(view)}>
    <label class=${asSwitch ? "option switch" : "option"} part="option">
      <input
        part="input"
        id=${uid}
        type="checkbox"
        role=${asSwitch ? "switch" : nothing}
        aria-required=${field.required && !asSwitch ? "true" : nothing}
        aria-invalid=${invalid(view)}
        aria-describedby=${describedBy(view)}
        ?disabled=${view.disabled}
        .checked=${view.entry.on === true}
        @change=${(event: Event) => view.change({ on: (event.target as HTMLInputElement).checked })}
      />
      <span class="what">${labelText({ ...view, titled: false })}</span>
    </label>
    ${notes(view)}
  </div>`;
}

function group(view: FieldView, inside: TemplateResult): TemplateResult {
  return html`<fieldset
    class=${wrap(view)}
    part="field"
    aria-describedby=${describedBy(view)}
  >
    <legend>${labelText(view)}</legend>
    ${notes(view)} ${inside}
  </fieldset>`;
}

function labelled(view: FieldView, control: TemplateResult): TemplateResult {
  return html`<div class=${wrap(view)} part="field">
    <label for=${view.uid}>${labelText(view)}</label>
    ${notes(view)} ${control}
  </div>`;
}

const is = <T extends Field["type"]>(
  view: FieldView,
  ...types: T[]
): view is FieldView<Field & { type: T }> => (types as string[]).includes(view.field.type);

/** Draw one field: its label, hint, error and native control. */
export function drawField(view: FieldView): TemplateResult {
  if (is(view, "text", "number")) return labelled(view, line(view as FieldView<TextField | NumberField>));
  if (is(view, "textarea")) return labelled(view, area(view as FieldView<TextField>));
  if (is(view, "date", "time", "datetime")) return labelled(view, moment(view as FieldView<MomentField>));
  if (view.field.type === "boolean" && view.field.widget === "confirm")
    return group(view, yesNo(view as FieldView<BooleanField>));
  if (is(view, "boolean", "checkbox")) return box(view);
  const { grouped, control } = drawOptions(view);
  return grouped ? group(view, control) : labelled(view, control);
}
