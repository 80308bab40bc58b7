import {
  allFields,
  type ChoiceField,
  isBox,
  isProvided,
  isYesNo,
  isZoned,
  type OptionValue,
  sectionsOf,
  type Values,
} from "../core/form.ts";
import type { Field, FileValue, Form, Json, Option } from "../core/generated/wire.ts";
import { ownValue } from "../core/path.ts";
import { isBlank } from "../core/text.ts";
import { onDemand } from "./ondemand.ts";

/** The raw input for one field, before it is converted to a value. Devices store it with these names. */
export interface Entry {
  /** Text, number, date or time as typed; for options, the text of "Other". */
  readonly text: string;
  /** The values of the chosen options. */
  readonly chosen: readonly OptionValue[];
  /** Whether "Other" is chosen. */
  readonly other: boolean;
  /** The state of a box or switch. A yes/no question has `yes` or `no` among `chosen` instead. */
  readonly on: boolean;
  /** Whether the person skips this question. */
  readonly skipped?: boolean;
  /** The chosen options of a source, as the person saw them. */
  readonly options?: readonly Option[] | undefined;
  /** The files that were uploaded. */
  readonly files?: readonly FileValue[];
}

export type Draft = ReadonlyMap<string, Entry>;

export const EMPTY: Entry = { text: "", chosen: [], other: false, on: false };

/** The options of these that the field has. */
const onlyOptions = ({ options }: ChoiceField, chosen: readonly OptionValue[]): OptionValue[] =>
  chosen.filter((item) => options.some(({ value }) => value === item));

function entryOf(field: Field, value: Json | undefined, locale: string): Entry {
  if (value === undefined || !isProvided(field, value)) return EMPTY;
  if (isYesNo(field)) return { ...EMPTY, chosen: [value === true ? "yes" : "no"] };
  if (isBox(field)) return { ...EMPTY, on: value === true };
  if (field.type === "file") return { ...EMPTY, files: [value].flat() as unknown as FileValue[] };
  if ("options" in field) {
    const values = [value].flat(2) as OptionValue[];
    const chosen = onlyOptions(field, values);
    const otherValues = values.filter((item) => !chosen.includes(item));
    const other = otherValues.length > 0 && field.allow_other === true;
    return { ...EMPTY, chosen, other, text: otherValues.join(", ") };
  }
  // A textarea has no other line ends, so these would be counted and never seen.
  const text = String(value).replaceAll("\r\n", "\n");
  if (field.type === "number" && locale === "de") return { ...EMPTY, text: text.replace(".", ",") };
  return { ...EMPTY, text: isZoned(field) ? (onDemand.localOf?.(text) ?? "") : text };
}

/**
 * Start with what was `sent` before, else the form's initial values, else each field's default; keep what `before` has.
 *
 * `false` and 0 count as values (F12).
 */
export function startDraft(form: Form, locale: string, previousDraft?: Draft, sentValues?: Values): Draft {
  const valueIn = (values: Values | null | undefined, { id }: Field) => ownValue(values, id);
  return new Map(
    allFields(form).map((field) => {
      const value = valueIn(sentValues, field) ?? valueIn(form.initial_values, field) ?? field.default;
      const entry = previousDraft?.get(field.id) ?? entryOf(field, value, locale);
      // The options of a source are not in the form: the server checks them.
      if (!("options" in field) || field.options_from) return [field.id, entry];
      return [field.id, { ...entry, chosen: onlyOptions(field, entry.chosen) }];
    }),
  );
}

/**
 * Read a typed number; a comma is a decimal sign too, and an exponent may follow: "1e-7".
 *
 * A sign that could separate thousands ("1,000" in English, "1.000" in German) is ambiguous: the text is returned as it
 * is, and the check refuses it. `src/askback/cli/numbers.py` has the same rule.
 */
export function numberOf(text: string, locale: string): number | string {
  const normalized = (onDemand.ungroup?.(text) ?? text).trim().replace(",", ".");
  const mark = locale === "de" ? "." : ",";
  const grouped = text.includes(mark) && /^[+-]?[1-9]\d{0,2}(\.\d{3})+(e|$)/i.test(normalized);
  const number = /^[-+.\de]+$/i.test(normalized) && !grouped ? Number(normalized) : Number.NaN;
  return Number.isNaN(number) ? text : number;
}

/** The value of an entry, or null if it is empty. */
export function jsonOf(field: Field, { text, chosen, other, on, files }: Entry, locale: string): Json {
  if (field.type === "file") {
    const uploads = (files ?? []) as unknown as Json[];
    return (field.max_files ?? 1) > 1 && uploads.length ? uploads : (uploads[0] ?? null);
  }
  if (isYesNo(field)) return chosen.length ? chosen[0] === "yes" : null;
  if (isBox(field)) return on;
  const typedText = isBlank(text) ? null : text;
  if (field.type === "multiselect") {
    const uploads = other && typedText ? [...chosen, typedText] : [...chosen];
    return uploads.length ? uploads : null;
  }
  if ("options" in field) return other ? typedText : (chosen[0] ?? null);
  if (typedText && field.type === "number") return numberOf(text, locale);
  return typedText && isZoned(field) ? (onDemand.withZone?.(text) ?? text) : typedText;
}

/** Whether the person has given anything for this field. An unticked box is nothing. */
export function isEntryProvided(field: Field, entry: Entry = EMPTY): boolean {
  if ("options" in field || isYesNo(field))
    return entry.other ? !isBlank(entry.text) : entry.chosen.length > 0;
  return entry.on || !!entry.files?.length || !isBlank(entry.text);
}

/** The fields of optional sections in which nothing is given. */
function skippedFields(form: Form, draft: Draft): ReadonlySet<Field> {
  const empty = sectionsOf(form).filter(
    (section) =>
      section.optional && !section.fields.some((field) => isEntryProvided(field, draft.get(field.id))),
  );
  return new Set(empty.flatMap((section) => section.fields));
}

/**
 * The values to send. A box left alone is a "no" that the person has seen, so it is sent as
 * false; but not from an optional section that is otherwise empty, which counts as skipped.
 */
export function collectValues(form: Form, draft: Draft, locale: string): Values {
  const skippedFieldSet = skippedFields(form, draft);
  const pairs = allFields(form).map((field): [string, Json] => [
    field.id,
    skippedFieldSet.has(field) ? null : jsonOf(field, draft.get(field.id) ?? EMPTY, locale),
  ]);
  return Object.fromEntries(pairs.filter(([, value]) => value !== null));
}

/** The fields where "Other" is chosen and nothing is written. */
export function blankOthers(form: Form, draft: Draft): Field[] {
  return allFields(form).filter((field) => {
    const entry = draft.get(field.id);
    return entry?.other && isBlank(entry.text);
  });
}

/** Whether every field is a choice, so that Submit can wait until the choices are made (A6, C10). */
export function hasOnlyChoices(form: Form): boolean {
  return allFields(form).every((field) => "options" in field || isYesNo(field));
}

/** The number of required choices that are made. */
export function progress(form: Form, draft: Draft): { done: number; total: number } {
  const fields = allFields(form);
  const skipped = skippedFields(form, draft);
  const isProvided = (field: Field): boolean => isEntryProvided(field, draft.get(field.id));
  const requiredFields = fields.filter((field) => field.required && !skipped.has(field));
  return { done: requiredFields.filter(isProvided).length, total: requiredFields.length };
}

/** A field that is the whole form and is answered by one click (A5). */
export function oneClick(form: Form): Field | undefined {
  const [onlyField, ...otherFields] = allFields(form);
  if (!onlyField || onlyField.readonly || otherFields.length > 0) return undefined;
  if (isYesNo(onlyField)) return onlyField;
  const hasButtons =
    onlyField.type === "select" && (onlyField.widget === "buttons" || onlyField.widget === "confirm");
  return hasButtons && onlyField.options.length <= 8 ? onlyField : undefined;
}
