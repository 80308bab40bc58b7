/** A form on a page without a browser: the code of the page, with a model of the native inputs for dates and times. */

import { allFields, type Field, type Form, type Option } from "../../src/core/form.ts";
import type { Values } from "../../src/core/json.ts";
import { isObject } from "../../src/core/json.ts";
import { check } from "../../src/elements/check.ts";
import { collect, type Draft, start } from "../../src/elements/draft.ts";
import { localOf } from "../../src/elements/zone.ts";

/** What a person reads about a value. */
export interface Sentence {
  path: string;
  en: string;
  de: string;
}

/** What the page sends, and the faults because of which it sends nothing. */
export interface Outcome {
  sent: Values;
  faults: Sentence[];
}

/** Enter `values` into the controls of a form and press Submit. */
export function fillIn(form: Form, values: unknown, patterns?: Record<string, string | null>): Outcome {
  const entered = start(bare(form), "en", undefined, isObject(values) ? (values as Values) : {});
  return press(form, limitToNative(form, entered), patterns);
}

/** Press Submit with a draft as the controls hold it. */
export function press(form: Form, draft: Draft, patterns?: Record<string, string | null>): Outcome {
  const sent = collect(form, draft, "en");
  const validityOf = (field: Field) => nativeValidity(field, draft.get(field.id)?.text ?? "");
  const verdict = (locale: "en" | "de") => check({ form, values: sent, draft, patterns, validityOf }, locale);
  const german = verdict("de");
  const faults = verdict("en").map(({ path, message }, at) => ({
    path,
    en: message,
    de: german[at]?.message ?? "",
  }));
  return { sent, faults: faults.sort((a, b) => (a.path < b.path ? -1 : 1)) };
}

/** Values without the boxes that are not ticked: the page sends false for them, other clients leave them out. */
export function withoutUnticked(form: Form, values: Values): Values {
  const boxes = new Set(allFields(form).flatMap((field) => (isBox(field) ? [field.id] : [])));
  return Object.fromEntries(
    Object.entries(values).filter(([id, value]) => !(boxes.has(id) && value === false)),
  );
}

const isBox = ({ type }: Field): boolean => type === "boolean" || type === "checkbox";

/** The form without anything that is filled in before the person begins. */
function bare(form: Form): Form {
  const empty = (fields: Field[]) => fields.map((field) => ({ ...field, default: null }) as Field);
  const fields = form.fields && { fields: empty(form.fields) };
  const sections = form.sections && {
    sections: form.sections.map((section) => ({ ...section, fields: empty(section.fields) })),
  };
  return { ...form, ...fields, ...sections, initial_values: null };
}

const TIME = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?$/;

const isDate = (text: string): boolean => {
  const date = new Date(`${text}T00:00:00Z`);
  return (
    /^\d{4}-\d\d-\d\d$/.test(text) &&
    !text.startsWith("0000") &&
    date.getTime() > Number.NEGATIVE_INFINITY &&
    date.toISOString().startsWith(text)
  );
};

/** Whether a native input can hold a text: it drops everything else. */
const HOLDS: Partial<Record<Field["type"], (text: string) => boolean>> = {
  date: isDate,
  time: (text) => TIME.test(text),
  datetime: (text) => isDate(text.slice(0, 10)) && text[10] === "T" && TIME.test(text.slice(11)),
};

function limitToNative(form: Form, draft: Draft): Draft {
  return new Map(
    allFields(form).flatMap((field) => {
      const entry = draft.get(field.id);
      const dropped = entry && HOLDS[field.type]?.(entry.text) === false;
      return entry ? [[field.id, dropped ? { ...entry, text: "" } : entry] as const] : [];
    }),
  );
}

/** The bounds of a native input; texts of one format sort as moments do. */
function nativeValidity(field: Field, text: string): ValidityState | undefined {
  if (field.type !== "date" && field.type !== "time" && field.type !== "datetime") return undefined;
  const bound = (at?: string | null) => (at && field.type === "datetime" ? localOf(at) : at) || undefined;
  const seconds = (at: string) => (field.type === "date" || at.split(":").length > 2 ? at : `${at}:00`);
  const [min, max] = [bound(field.min), bound(field.max)];
  return {
    badInput: false,
    rangeUnderflow: !!text && min !== undefined && seconds(text) < seconds(min),
    rangeOverflow: !!text && max !== undefined && seconds(text) > seconds(max),
  } as ValidityState;
}

/** A form as the server sends it, from one as an agent writes it. */
export function normalForm(raw: unknown): Form {
  const form = raw as Form;
  const fields = form.fields && { fields: form.fields.map(normalField) };
  const sections = form.sections && {
    sections: form.sections.map((section) => ({ ...section, fields: section.fields.map(normalField) })),
  };
  return { ...form, ...fields, ...sections };
}

type Loose<T> = Omit<T, "options"> & { options?: (string | Partial<Option>)[] | undefined };

function normalField(field: Field): Field {
  const { options, ...rest } = field as Loose<Field & { widget?: string }>;
  if (!options && rest.type !== "select") return field;
  const written = options?.length ? options : rest.widget === "confirm" ? ["Yes", "No"] : [];
  return { ...rest, options: written.map(normalOption) } as Field;
}

function normalOption(option: string | Partial<Option>): Option {
  if (typeof option === "string") return { value: option, label: option };
  const label = option.label ?? "";
  return { ...option, value: option.value ?? label, label };
}
