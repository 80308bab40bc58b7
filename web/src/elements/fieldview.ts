import { html, nothing, type TemplateResult } from "lit/html.js";
import type { Field, Rich } from "../core/wire.ts";
import type { Entry } from "./draft.ts";
import { rich } from "./rich.ts";
import type { Say } from "./text.ts";
import { zoneName } from "./zone.ts";

/** All that drawing one field needs; `uid` is unique within the shadow root. */
export interface FieldView<F extends Field = Field> {
  field: F;
  uid: string;
  entry: Entry;
  error: string | undefined;
  /** Whether to say "optional" beside the label. */
  optional: boolean;
  /** The label is the card's heading as well, and is shown only there. */
  titled: boolean;
  disabled: boolean;
  markdown: Rich[] | undefined;
  say: Say;
  /** The text in the filter of a long list. */
  filter: string;
  change(next: Partial<Entry>): void;
  search(text: string): void;
  /** Set where one click on an option answers. */
  pick: ((next: Partial<Entry>) => void) | undefined;
}

/** What an input holds after an event. */
export const typed = (event: Event): string => (event.target as HTMLInputElement).value;

/** The ids of the texts that describe the control, for `aria-describedby`. */
export const describedBy = (view: FieldView): string | typeof nothing =>
  [hintOf(view) ? `${view.uid}-hint` : "", view.error ? `${view.uid}-error` : ""].filter(Boolean).join(" ") ||
  nothing;

function range(field: Field, say: Say): string {
  if (field.type === "number") return bounds("range", field.min, field.max, say);
  if (field.type === "multiselect") return bounds("choose", field.min_choices, field.max_choices, say);
  if (field.type === "datetime") return say("zone", { zone: zoneName() });
  return "";
}

function bounds(
  key: string,
  min: number | null | undefined,
  max: number | null | undefined,
  say: Say,
): string {
  if (typeof min === "number" && typeof max === "number")
    return min === max ? say(`${key}.exactly`, { min }) : say(`${key}.both`, { min, max });
  if (typeof min === "number") return say(`${key}.min`, { min });
  return typeof max === "number" ? say(`${key}.max`, { max }) : "";
}

/** The field's description and what its bounds say, or null. */
export function hintOf(view: FieldView): TemplateResult | null {
  const { field, markdown, say } = view;
  const extra = range(field, say);
  const text = markdown ? rich(markdown) : field.description;
  if (!text && !extra) return null;
  return html`${text}${text && extra ? html` ` : nothing}${extra}`;
}
