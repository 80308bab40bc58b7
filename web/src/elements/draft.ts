import { allFields, type Field, type Form, type Json, type Values } from "../core/wire.ts";
import { localOf, zoned } from "./zone.ts";

/** What the person has typed or ticked for one field, before it is a value. */
export interface Entry {
  /** Text, number, date or time as typed; for options, the text of "Other". */
  readonly text: string;
  /** The values of the chosen options. */
  readonly chosen: readonly string[];
  /** Whether "Other" is chosen. */
  readonly other: boolean;
  /** The state of a box or switch; null where a yes/no question has no answer yet. */
  readonly on: boolean | null;
}

export type Draft = ReadonlyMap<string, Entry>;

const EMPTY: Entry = { text: "", chosen: [], other: false, on: null };

/** The field whose value is among options, if it is one. */
export const options = (field: Field) => ("options" in field ? field.options : []);

export const isYesNo = (field: Field): boolean => field.type === "boolean" && field.widget === "confirm";

function entryOf(field: Field, value: Json | undefined, locale: string): Entry {
  const on = isYesNo(field) ? null : false;
  if (value === undefined || value === null) return { ...EMPTY, on };
  switch (field.type) {
    case "boolean":
    case "checkbox":
      return { ...EMPTY, on: value === true || (isYesNo(field) ? false : on) };
    case "select":
    case "radio":
    case "multiselect": {
      const given = (Array.isArray(value) ? value : [value]).map(String);
      const known = new Set(field.options.map((option) => option.value));
      const typed = given.filter((item) => !known.has(item));
      const other = typed.length > 0 && field.allow_other === true;
      return { ...EMPTY, chosen: given.filter((item) => known.has(item)), other, text: typed.join(", ") };
    }
    case "number":
      return { ...EMPTY, text: locale === "de" ? String(value).replace(".", ",") : String(value) };
    case "datetime":
      return { ...EMPTY, text: localOf(String(value)) };
    default:
      return { ...EMPTY, text: String(value) };
  }
}

/**
 * Start with the form's initial values, else each field's default; keep what `before` has typed.
 *
 * `false` and 0 count as values (F12).
 */
export function start(form: Form, locale: string, before?: Draft): Draft {
  const given = new Map(Object.entries(form.initial_values ?? {}));
  return new Map(
    allFields(form).map((field) => [
      field.id,
      before?.get(field.id) ?? entryOf(field, given.get(field.id) ?? field.default, locale),
    ]),
  );
}

/**
 * Read a typed number; a comma is a decimal sign too.
 *
 * What could be a thousands separator ("1,000" in English, "1.000" in German) is not guessed:
 * the text comes back as it is and the check says that it is no number.
 */
export function numberOf(text: string, locale: string): number | string {
  const bare = text.trim();
  const grouped = locale === "de" ? /^[+-]?[1-9]\d{0,2}(\.\d{3})+$/ : /^[+-]?[1-9]\d{0,2}(,\d{3})+$/;
  const plain = bare.replace(",", ".");
  return !grouped.test(bare) && /^[+-]?(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : text;
}

function jsonOf(field: Field, entry: Entry, locale: string): Json {
  switch (field.type) {
    case "boolean":
    case "checkbox":
      return entry.on;
    case "select":
    case "radio":
      return entry.other ? entry.text : (entry.chosen[0] ?? null);
    case "multiselect":
      return entry.other ? [...entry.chosen, entry.text] : [...entry.chosen];
    case "number":
      return entry.text.trim() === "" ? null : numberOf(entry.text, locale);
    case "datetime":
      return entry.text === "" ? null : zoned(entry.text);
    default:
      return entry.text;
  }
}

/** Whether the person has given anything for this field. An unticked box is nothing. */
export function provided(field: Field, entry: Entry | undefined): boolean {
  if (!entry) return false;
  if (field.type === "boolean" || field.type === "checkbox")
    return entry.on === true || (isYesNo(field) && entry.on !== null);
  if ("options" in field) return entry.other ? entry.text.trim() !== "" : entry.chosen.length > 0;
  return entry.text.trim() !== "";
}

/** The fields of optional sections in which nothing is given. */
function skippedFields(form: Form, draft: Draft): ReadonlySet<Field> {
  const empty = (form.sections ?? []).filter(
    (section) => section.optional && !section.fields.some((field) => provided(field, draft.get(field.id))),
  );
  return new Set(empty.flatMap((section) => section.fields));
}

/**
 * The values to send. A box left alone is a "no" that the person has seen, so it is sent as
 * false; but not from an optional section that is otherwise empty, which counts as skipped.
 */
export function collect(form: Form, draft: Draft, locale: string): Values {
  const skipped = skippedFields(form, draft);
  const pairs: [string, Json][] = [];
  for (const field of allFields(form)) {
    const value = skipped.has(field) ? null : jsonOf(field, draft.get(field.id) ?? EMPTY, locale);
    const blank = typeof value === "string" && value.trim() === "";
    if (value !== null && !blank && !(Array.isArray(value) && value.length === 0))
      pairs.push([field.id, value]);
  }
  return Object.fromEntries(pairs);
}

/** The fields where "Other" is chosen and nothing is written. */
export function blankOthers(form: Form, draft: Draft): Field[] {
  return allFields(form).filter((field) => {
    const entry = draft.get(field.id);
    return "options" in field && entry?.other === true && entry.text.trim() === "";
  });
}

/** The chosen options that want a second thought. */
export function dangerous(form: Form, draft: Draft): string[] {
  return allFields(form).flatMap((field) =>
    options(field)
      .filter((option) => option.style === "danger" && draft.get(field.id)?.chosen.includes(option.value))
      .map((option) => option.label),
  );
}

const CHOICES = new Set(["select", "radio", "multiselect"]);

/** Whether every field is a choice, so that Submit can wait until the choices are made (A6, C10). */
export function gated(form: Form): boolean {
  const fields = allFields(form);
  return fields.length > 0 && fields.every((field) => CHOICES.has(field.type) || isYesNo(field));
}

/** How many of the choices that must be made are made. */
export function progress(form: Form, draft: Draft): { done: number; all: number } {
  const fields = allFields(form);
  const skipped = skippedFields(form, draft);
  const given = (field: Field): boolean => provided(field, draft.get(field.id));
  const must = fields.filter((field) => field.required && !skipped.has(field));
  if (must.length > 0) return { done: must.filter(given).length, all: must.length };
  return { done: Number(fields.some(given)), all: 1 };
}

/** A field that is the whole form and is answered by one click (A5). */
export function oneClick(form: Form): Field | undefined {
  const fields = allFields(form);
  const only = fields.length === 1 ? fields[0] : undefined;
  if (!only) return undefined;
  if (isYesNo(only)) return only;
  const quick = only.type === "select" && (only.widget === "buttons" || only.widget === "confirm");
  return quick && only.options.length <= 8 ? only : undefined;
}
