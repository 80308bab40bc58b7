/** The fields of a form; docs/reference/forms.md describes them. */

import type {
  Date as DateField,
  Datetime,
  Field,
  Form,
  Json,
  Multiselect,
  Radio,
  Section,
  Select,
  Text,
  Textarea,
  Time,
} from "./generated/wire.ts";
import { isBlank } from "./text.ts";

export type TextField = Text | Textarea;
export type SingleChoiceField = Select | (Radio & { widget?: undefined });
export type ChoiceField = SingleChoiceField | Multiselect;
export type MomentField = DateField | Time | Datetime;

/** The meaning of an option. */
export type OptionValue = string | number;

/** Whether the values of a field have a zone. */
export const isZoned = (field: Field): boolean => field.type === "datetime" && !field.floating;

/** Whether a field is a question with "yes" and "no". */
export const isYesNo = (field: Field): boolean => field.type === "boolean" && field.widget === "confirm";

/** Whether a field is a box or a switch, which is off when nothing was said. */
export const isBox = (field: Field): boolean =>
  field.type === "checkbox" || (field.type === "boolean" && !isYesNo(field));

/** The values of a form by field id. */
export type Values = Record<string, Json>;

/** The sections of a form; one without sections has a single section. */
export const sectionsOf = (
  form: Form,
): readonly (Pick<Section, "fields"> & Partial<Omit<Section, "fields">>)[] =>
  form.sections ?? [{ fields: form.fields ?? [] }];

/** What a field is called: its label, else the nearest title or description around it. */
export function nameOf(form: Form, field: Field): string {
  const section = sectionsOf(form).find(({ fields }) => fields.includes(field));
  return field.label || section?.title || section?.description || form.title || form.description || "";
}

/** All fields of a form in the order shown, those of sections included. */
export const allFields = (form: Form): Field[] => sectionsOf(form).flatMap(({ fields }) => fields);

/** Whether a value is that of an option. */
export const isOption = ({ options }: ChoiceField, value: Json): boolean =>
  options.some((option) => option.value === value);

/**
 * Whether a value counts as an answer: null, an empty text or list and, except for choices, a blank
 * text do not. An empty text counts if it is the value of an option.
 */
export function isProvided(field: Field, value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (value === "") return "options" in field && isOption(field, value);
  if (Array.isArray(value)) return value.length > 0;
  return !(typeof value === "string" && !("options" in field) && isBlank(value));
}
