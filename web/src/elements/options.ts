import type { OptionValue, SingleChoiceField } from "../core/form.ts";
import type { Multiselect, Option } from "../core/generated/wire.ts";
import { describedBy, type FieldView, isChecked, typedText } from "./fieldview.ts";
import { html, type Template } from "./html.ts";
import { labelOf } from "./labels.ts";

export type Choice = FieldView<SingleChoiceField | Multiselect>;

/** A choice: one of the agent's options, or "Other". */
export interface Item {
  readonly id: string;
  readonly option: Partial<Option>;
  readonly other: boolean;
  readonly isChosen: boolean;
  /** Whether it is shown and cannot be chosen. */
  readonly disabled?: boolean | undefined;
  set(isChosen: boolean): void;
}

/** A single choice replaces and leaves "Other" (C7), several add up (C9). */
export function itemsOf({ field, uid, entry, getText, change }: Choice): Item[] {
  const isMultiple = field.type === "multiselect";
  const values = field.options.map((option) => option.value);
  const chosen = new Set(entry.chosen);
  const items: Item[] = field.options.map((option, index) => ({
    id: `${uid}-${index}`,
    option,
    other: false,
    isChosen: chosen.has(option.value) && (isMultiple || !entry.other),
    set(isChosen) {
      const isKept = (value: OptionValue): boolean =>
        value === option.value ? isChosen : isMultiple && chosen.has(value);
      change({ chosen: values.filter(isKept), other: isMultiple && entry.other });
    },
  }));
  if (!field.allow_other) return items;
  const set = (other: boolean): void => change({ other, chosen: isMultiple ? entry.chosen : [] });
  return [
    ...items,
    { id: `${uid}-other`, option: { label: getText("other") }, other: true, isChosen: entry.other, set },
  ];
}

const dangerClass = (item: Item | undefined): string => (item?.option.style === "danger" ? " danger" : "");

function drawLabel({ option }: Item, { field, getText }: Choice): Template {
  const { recommended, description } = option;
  return html`<span>${labelOf(field, option, getText)}</span>${recommended && html`<span class="badge">${getText("recommended")}</span>`}${
    description && html`<small>${description}</small>`
  }`;
}

/** The person's own answer, right after its option and with its own label. */
function drawOtherText(view: Choice): Template | false {
  const { uid, entry, error } = view;
  return (
    entry.other &&
    html`<div class="other">
      <label class="hint" for=${`${uid}-text`}>${view.getText("other_label")}</label>
      <input
        id=${`${uid}-text`}
        part="input"
        type="text"
        autocomplete="off"
        aria-invalid=${!!error}
        aria-describedby=${error && `${uid}-error`}
        disabled=${view.disabled}
        .value=${entry.text}
        .oninput=${(event: Event) => view.change({ text: typedText(event) })}
      />
    </div>`
  );
}

export function drawRows(view: Choice, items: readonly Item[], className: string): Template {
  const isMultiple = view.field.type === "multiselect";
  const kind = className.startsWith("chips") ? "chip" : "option";
  return html`<div class=${className}>${items.map(
    (item) =>
      html`<label class=${kind + dangerClass(item)} part="option">
        <input
          id=${item.id}
          type=${isMultiple ? "checkbox" : "radio"}
          name=${view.uid}
          disabled=${view.disabled || item.disabled}
          .checked=${item.isChosen}
          .onchange=${(event: Event) => item.set(isChecked(event))}
        />
        <span class="what">${drawLabel(item, view)}</span>
      </label>`,
  )}</div>
  ${drawOtherText(view)}`;
}

/** The native list; its placeholder entry can be chosen again only where an answer is not required. */
function drawDropdown(view: Choice): Template {
  const { field, getText } = view;
  const items = itemsOf(view);
  const pick = (event: Event): void => {
    const item = items[Number(typedText(event))];
    if (item) item.set(true);
    else view.change({ chosen: [], other: false });
  };
  const chosen = items.find((item) => item.isChosen)?.option;
  return html`<select
      id=${view.uid}
      part="input"
      aria-required=${field.required}
      aria-invalid=${!!view.error}
      aria-describedby=${describedBy(view)}
      disabled=${view.disabled}
      .onchange=${pick}
    >
      <option value="-1">${field.placeholder || getText("choose")}</option>
      ${items.map(
        ({ isChosen, option: { recommended, label } }, index) =>
          html`<option value=${index} .selected=${isChosen}>${recommended ? `${label} (${getText("recommended")})` : label}</option>`,
      )}
    </select>
    ${chosen?.description && html`<p class="hint">${chosen.description}</p>`} ${drawOtherText(view)}`;
}

/** Buttons that answer immediately. "Other" opens its text box, which has a Submit. */
function drawAnswerButtons(view: Choice): Template {
  const items = itemsOf({ ...view, change: view.pick ?? view.change });
  const isStyled = items.some(({ option }) => option.style === "primary");
  const presetItem = items.find(({ option }) => view.preset !== undefined && option.value === view.preset);
  const chosen = items.find(({ isChosen, other }) => isChosen && !other);
  const first = view.field.widget === "confirm" && !isStyled && !dangerClass(items[0]) && items[0];
  const primaryItem = chosen ?? presetItem ?? first;
  return html`<div class="answers">${items.map(
    (item) =>
      html`<button
        type="button"
        part="option"
        id=${item.id}
        class=${`choice${dangerClass(item)}${item === primaryItem || (!chosen && !presetItem && item.option.style === "primary") ? " primary" : ""}`}
        aria-disabled=${view.disabled}
        aria-expanded=${item.other && String(item.isChosen)}
        aria-description=${item === presetItem && view.getText("suggested")}
        .onclick=${() => item.set(!item.other || !item.isChosen)}
      >${drawLabel(item, view)}${item === presetItem && html`<small aria-hidden="true">${view.getText("suggested")}</small>`}</button>`,
  )}</div>
  ${drawOtherText(view)}`;
}

/** A yes/no question, drawn as a choice of two. */
export function yesNoChoice(view: FieldView): Choice {
  const options = ["yes", "no"].map((value) => ({ value, label: view.getText(value) }));
  const { preset, field } = view;
  return {
    ...view,
    preset: typeof preset === "boolean" ? (preset ? "yes" : "no") : undefined,
    field: { ...field, type: "select", widget: "confirm", default: null, options },
  };
}

const CLASSES_BY_WIDGET: Partial<Record<string, string>> = {
  chips: "chips",
  buttons: "chips segments",
  confirm: "chips segments",
};

/** Draw a field with options; `grouped` says that it needs a legend instead of a label. */
export function drawOptions(view: Choice): { grouped: boolean; control: Template } {
  const { type, widget, options } = view.field;
  if (view.pick) return { grouped: true, control: drawAnswerButtons(view) };
  const hasDescriptions = options.some((option) => option.description || option.style === "danger");
  const isDropdown = widget === "dropdown" || (!widget && !hasDescriptions);
  if (isDropdown && type === "select") return { grouped: false, control: drawDropdown(view) };
  return {
    grouped: true,
    control: drawRows(view, itemsOf(view), CLASSES_BY_WIDGET[widget ?? ""] ?? "options"),
  };
}
