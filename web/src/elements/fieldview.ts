import { isZoned } from "../core/form.ts";
import type { Field, Json, Rich } from "../core/generated/wire.ts";
import type { Entry } from "./entries.ts";
import { html, type Template } from "./html.ts";
import { onDemand } from "./ondemand.ts";
import type { GetText } from "./text.ts";

/** All that drawing one field needs; `uid` is unique within the shadow root. */
export interface FieldView<F extends Field = Field> {
  field: F;
  uid: string;
  entry: Entry;
  error: string | undefined;
  /** Whether to say "optional" beside the label. */
  optional: boolean;
  /** The label is the card's heading as well, and is shown only there. */
  hasTitle: boolean;
  disabled: boolean;
  /** The form's suggestion before anything is entered. */
  preset: Json | undefined;
  markdown: Rich[] | undefined;
  getText: GetText;
  change(next: Partial<Entry>): void;
  /** Set where one click on an option answers. */
  pick: ((next: Partial<Entry>) => void) | undefined;
}

/** The value of an input after an event. */
export const typedText = (event: Event): string => (event.target as HTMLInputElement).value;

/** Whether its box was ticked. */
export const isChecked = (event: Event): boolean => (event.target as HTMLInputElement).checked;

/** The ids of the texts that describe the control, for `aria-describedby`. */
export const describedBy = (view: FieldView): string | false =>
  [hintOf(view) && `${view.uid}-hint`, view.error && `${view.uid}-error`].filter(Boolean).join(" ") || false;

type Bound = number | null | undefined;

function bounds(key: string, min: Bound, max: Bound, getText: GetText): string {
  const bound = min == null ? max != null && "max" : max == null ? "min" : min === max ? "exactly" : "both";
  return bound ? getText(`${key}.${bound}`, { min, max }) : "";
}

function rangeTextOf(field: Field, getText: GetText): string {
  if (field.type === "number") return bounds("range", field.min, field.max, getText);
  if (field.type === "multiselect") return bounds("choose", field.min_choices, field.max_choices, getText);
  return (isZoned(field) && onDemand.zoneText?.(getText)) || "";
}

/** The field's description and what its bounds say, if anything. */
export function hintOf({ field, markdown, getText }: FieldView): Template | false {
  const rangeText = rangeTextOf(field, getText);
  const text = onDemand.rich?.(markdown, getText) ?? field.description;
  return !!(text || rangeText) && html`${text}${text && rangeText && " "}${rangeText}`;
}
