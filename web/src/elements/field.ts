import { isYesNo, isZoned, type MomentField } from "../core/form.ts";
import { describedBy, type FieldView, hintOf, isChecked, typedText } from "./fieldview.ts";
import { html, type Template } from "./html.ts";
import { icons } from "./icons.ts";
import { onDemand } from "./ondemand.ts";
import { drawOptions, yesNoChoice } from "./options.ts";

const TYPES: Partial<Record<string, string>> = { date: "date", time: "time", datetime: "datetime-local" };

const label = ({ field, optional, getText }: FieldView, isHidden?: boolean): Template =>
  html`<span class=${isHidden ? "hidden" : "label"}>${field.label}</span>${optional && html` <span class="tag">${getText("optional")}</span>`}`;

function notes(view: FieldView): Template {
  const hint = hintOf(view);
  return html`${hint && html`<div class="hint" id=${`${view.uid}-hint`}>${hint}</div>`}${
    view.error && html`<p class="error" id=${`${view.uid}-error`}>${icons.warn} ${view.error}</p>`
  }`;
}

const wrap = (view: FieldView): string => (view.error ? "field wrong" : "field");

function input(view: FieldView): Template {
  const { field } = view;
  const type = TYPES[field.type];
  const { min, max, default: preset } = (type ? field : {}) as MomentField;
  const bound = (text: string | null | undefined) =>
    (text && isZoned(field) ? onDemand.localOf?.(text) : text) || false;
  const seconds = field.type === "time" && [preset, min, max].some((text) => text?.split(":")[2]);
  return html`<input
    part="input"
    id=${view.uid}
    type=${type ?? "text"}
    class=${field.type !== "text" && "short"}
    inputmode=${field.type === "number" && "decimal"}
    autocomplete="off"
    step=${seconds && 1}
    min=${bound(min)}
    max=${bound(max)}
    placeholder=${field.placeholder}
    aria-required=${field.required}
    aria-invalid=${!!view.error}
    aria-describedby=${describedBy(view)}
    disabled=${view.disabled}
    .value=${view.entry.text}
    .oninput=${(event: Event) => view.change({ text: typedText(event) })}
  />`;
}

function area(view: FieldView): Template {
  const { field } = view;
  return html`<textarea
    part="input"
    id=${view.uid}
    rows="4"
    placeholder=${field.placeholder}
    aria-required=${field.required}
    aria-invalid=${!!view.error}
    aria-describedby=${describedBy(view)}
    disabled=${view.disabled}
    .value=${view.entry.text}
    .oninput=${(event: Event) => view.change({ text: typedText(event) })}
  ></textarea>`;
}

function box(view: FieldView, asSwitch: boolean): Template {
  return html`<div class=${wrap(view)}>
    <label class=${asSwitch ? "option switch" : "option"} part="option">
      <input
        part="input"
        id=${view.uid}
        type="checkbox"
        role=${asSwitch && "switch"}
        aria-required=${!asSwitch && view.field.required}
        aria-invalid=${!!view.error}
        aria-describedby=${describedBy(view)}
        disabled=${view.disabled}
        .checked=${view.entry.on}
        .onchange=${(event: Event) => view.change({ on: isChecked(event) })}
      />
      <span class="what">${label(view)}</span>
    </label>
    ${notes(view)}
  </div>`;
}

/** Take back a choice that cannot be unticked; the focus stays with the options. */
function drawClear(view: FieldView): Template | false {
  const { field, entry, uid, disabled, pick } = view;
  const chosen = entry.chosen.length > 0 || entry.other;
  if (!chosen || disabled || pick || field.type === "multiselect") return false;
  const clear = ({ currentTarget }: Event): void => {
    view.change({ chosen: [], other: false });
    (currentTarget as HTMLElement).closest("fieldset")?.querySelector("input")?.focus();
  };
  return html`<button type="button" class="quiet clear" id=${`${uid}-clear`} aria-label=${view.getText("clear_of", { label: field.label })} .onclick=${clear}>${view.getText("clear")}</button>`;
}

/** Several controls with their legend, hint and error. */
export const group = (view: FieldView, inside: Template): Template =>
  html`<fieldset class=${wrap(view)} part="field" aria-describedby=${describedBy(view)}>
    <legend>${label(view, view.hasTitle)}</legend>
    ${drawClear(view)} ${notes(view)} ${inside}
  </fieldset>`;

/** A control with its label, hint and error. */
export const labelled = (view: FieldView, control: Template): Template =>
  html`<div class=${wrap(view)} part="field">
    <label for=${view.uid}>${label(view, view.hasTitle)}</label>
    ${notes(view)} ${control}
  </div>`;

/** Draw one field: its label, hint, error and native control. */
export function drawField(view: FieldView): Template {
  const { field } = view;
  if (field.type === "textarea") return labelled(view, area(view));
  if ("options" in field || isYesNo(field)) {
    const { grouped, control } = drawOptions("options" in field ? { ...view, field } : yesNoChoice(view));
    return (grouped ? group : labelled)(view, control);
  }
  if (field.type === "boolean" || field.type === "checkbox")
    return box(view, field.type === "boolean" && field.widget !== "checkbox");
  if (["text", "number"].includes(field.type) || TYPES[field.type]) return labelled(view, input(view));
  return group(view, html`<p class="hint">${view.getText("unknown_kind")}</p>`);
}
