import { html, nothing, type TemplateResult } from "lit/html.js";
import type { BooleanField, Field, MultiField, Option, SingleField } from "../core/wire.ts";
import type { Entry } from "./draft.ts";
import { describedBy, type FieldView, typed } from "./fieldview.ts";

type Choice = SingleField | MultiField;

/** From this many options on, a dropdown becomes a list with a filter (D20). */
const LONG = 8;

const badge = (option: Option, view: FieldView): TemplateResult | typeof nothing =>
  option.recommended ? html`<span class="badge" part="badge">${view.say("recommended")}</span>` : nothing;

const danger = (option: Option): string => (option.style === "danger" ? " danger" : "");

/** Choose or drop `value`; a single choice replaces and leaves "Other" (C7), several add up (C9). */
function choose(view: FieldView, option: Option, on: boolean): void {
  if (view.field.type !== "multiselect") {
    view.change({ chosen: on ? [option.value] : [], other: false });
    return;
  }
  const rest = view.entry.chosen.filter((value) => value !== option.value);
  const chosen = new Set(on ? [...rest, option.value] : rest);
  const order = (view.field as Choice).options.map((item) => item.value);
  view.change({ chosen: order.filter((value) => chosen.has(value)) });
}

const otherChosen = (view: FieldView, on: boolean): void =>
  view.change(view.field.type === "multiselect" ? { other: on } : { other: on, chosen: [] });

function tick(view: FieldView, option: Option, index: number, chip: boolean): TemplateResult {
  const many = view.field.type === "multiselect";
  return html`<label class=${(chip ? "chip" : "option") + danger(option)} part="option">
    <input
      id="${view.uid}-${index}"
      type=${many ? "checkbox" : "radio"}
      name=${view.uid}
      ?disabled=${view.disabled}
      .checked=${view.entry.chosen.includes(option.value) && (many || !view.entry.other)}
      @change=${(event: Event) => choose(view, option, (event.target as HTMLInputElement).checked)}
    />
    <span class="what"
      >${option.label}${badge(option, view)}${option.description ? html`<small>${option.description}</small>` : nothing}</span
    >
  </label>`;
}

function otherTick(view: FieldView, chip: boolean): TemplateResult {
  return html`<label class=${chip ? "chip" : "option"} part="option other">
    <input
      id="${view.uid}-other"
      type=${view.field.type === "multiselect" ? "checkbox" : "radio"}
      name=${view.uid}
      ?disabled=${view.disabled}
      .checked=${view.entry.other}
      @change=${(event: Event) => otherChosen(view, (event.target as HTMLInputElement).checked)}
    />
    <span class="what">${view.say("other")}</span>
  </label>`;
}

/** The person's own answer, right after its option and with its own label. */
function otherText(view: FieldView): TemplateResult | typeof nothing {
  if (!view.entry.other) return nothing;
  return html`<div class="other">
    <label class="hint" for="${view.uid}-text">${view.say("other_label")}</label>
    <input
      id="${view.uid}-text"
      part="input"
      type="text"
      autocomplete="off"
      aria-invalid=${view.error ? "true" : nothing}
      aria-describedby=${view.error ? `${view.uid}-error` : nothing}
      ?disabled=${view.disabled}
      .value=${view.entry.text}
      @input=${(event: Event) => view.change({ text: typed(event) })}
    />
  </div>`;
}

function rows(view: FieldView<Choice>, items: readonly Option[], className: string): TemplateResult {
  const { field } = view;
  const chip = className !== "options" && className !== "options scroll";
  const all = field.options;
  return html`<div class=${className}>
      ${items.map((option) => tick(view, option, all.indexOf(option), chip))}
      ${field.allow_other ? otherTick(view, chip) : nothing}
    </div>
    ${otherText(view)}`;
}

function filtered(view: FieldView<Choice>): TemplateResult {
  const wanted = view.filter.trim().toLocaleLowerCase();
  const all = view.field.options;
  const items = all.filter(
    (option) =>
      view.entry.chosen.includes(option.value) ||
      `${option.label} ${option.description ?? ""}`.toLocaleLowerCase().includes(wanted),
  );
  return html`<div>
      <label class="hint" for="${view.uid}-filter">${view.say("filter")}</label>
      <input
        id="${view.uid}-filter"
        type="search"
        autocomplete="off"
        ?disabled=${view.disabled}
        .value=${view.filter}
        @input=${(event: Event) => view.search(typed(event))}
        @keydown=${(event: KeyboardEvent) => {
          if (event.key === "Enter") event.preventDefault();
        }}
      />
      <p class="hint" role="status">${wanted ? view.say("filter_count", { shown: items.length, all: all.length }) : nothing}</p>
    </div>
    ${rows(view, items, "options scroll")}`;
}

/** The native list; its placeholder entry can be chosen again only where an answer is not required. */
function dropdown(view: FieldView<SingleField>): TemplateResult {
  const { field, entry } = view;
  const at = entry.other ? "other" : String(field.options.findIndex((o) => o.value === entry.chosen[0]));
  const chosen = field.options[Number(at)];
  const pick = (event: Event): void => {
    const option = field.options[Number(typed(event))];
    view.change({ chosen: option ? [option.value] : [], other: typed(event) === "other" });
  };
  return html`<select
      id=${view.uid}
      part="input"
      aria-required=${field.required ? "true" : nothing}
      aria-invalid=${view.error ? "true" : nothing}
      aria-describedby=${describedBy(view)}
      ?disabled=${view.disabled}
      @change=${pick}
    >
      <option value="-1" ?selected=${at === "-1"}>${field.placeholder || view.say("choose")}</option>
      ${field.options.map(
        (option, index) =>
          html`<option value=${index} ?selected=${at === String(index)}>
            ${option.recommended ? view.say("recommended_option", { label: option.label }) : option.label}
          </option>`,
      )}
      ${field.allow_other ? html`<option value="other" ?selected=${entry.other}>${view.say("other")}</option>` : nothing}
    </select>
    ${chosen?.description ? html`<p class="hint">${chosen.description}</p>` : nothing} ${otherText(view)}`;
}

/** Buttons that answer at once. "Other" opens its text box, which has a Submit. */
function quick(view: FieldView<SingleField>): TemplateResult {
  const { field, entry, pick } = view;
  const styled = field.options.some((option) => option.style === "primary");
  const look = (option: Option, index: number): string => {
    const main = option.style === "primary" || (!styled && index === 0 && field.widget === "confirm");
    return `choice${danger(option)}${main && option.style !== "danger" ? " primary" : ""}`;
  };
  return html`<div class="answers">
      ${field.options.map(
        (option, index) =>
          html`<button
            type="button"
            part="option"
            id="${view.uid}-${index}"
            class=${look(option, index)}
            aria-disabled=${view.disabled ? "true" : nothing}
            aria-pressed=${entry.chosen.includes(option.value) ? "true" : nothing}
            @click=${() => pick?.({ chosen: [option.value], other: false })}
          >
            <span>${option.label}</span>${badge(option, view)}${
              option.description ? html`<small>${option.description}</small>` : nothing
            }
          </button>`,
      )}
      ${
        field.allow_other
          ? html`<button
            type="button"
            id="${view.uid}-other"
            aria-expanded=${entry.other ? "true" : "false"}
            aria-disabled=${view.disabled ? "true" : nothing}
            @click=${() => view.change({ other: !entry.other, chosen: [] })}
          >
            ${view.say("other")}
          </button>`
          : nothing
      }
    </div>
    ${otherText(view)}`;
}

/** A yes/no question, drawn as a choice of two. */
export function yesNo(view: FieldView<BooleanField>): TemplateResult {
  const { entry, field, pick, say } = view;
  const onOf = (next: Partial<Entry>): Partial<Entry> => ({ on: next.chosen?.[0] === "true" });
  const options = [
    { value: "true", label: say("yes") },
    { value: "false", label: say("no") },
  ];
  return drawOptions({
    ...view,
    field: { ...field, type: "select", widget: "confirm", default: null, options },
    entry: { ...entry, chosen: entry.on === null ? [] : [String(entry.on)] },
    change: (next) => view.change(onOf(next)),
    pick: pick && ((next) => pick(onOf(next))),
  }).control;
}

const ROWS: Partial<Record<string, string>> = {
  chips: "chips",
  buttons: "chips segments",
  confirm: "chips segments",
};

/** Draw a field with options; `grouped` says that it needs a legend instead of a label. */
export function drawOptions(view: FieldView): { grouped: boolean; control: TemplateResult } {
  const field = view.field as Choice & Field;
  const choice = view as FieldView<Choice>;
  const single = field.type === "select";
  if (view.pick && single) return { grouped: true, control: quick(view as FieldView<SingleField>) };
  const widget = "widget" in field ? field.widget : null;
  const explained = field.options.some((option) => option.description || option.style === "danger");
  const listed = widget === "dropdown" || (single && !widget && !explained);
  if (field.options.length > LONG && (listed || field.type === "multiselect"))
    return { grouped: true, control: filtered(choice) };
  if (listed && single) return { grouped: false, control: dropdown(view as FieldView<SingleField>) };
  return { grouped: true, control: rows(choice, field.options, ROWS[widget ?? ""] ?? "options") };
}
