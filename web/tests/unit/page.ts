/** A form on a page without a browser: the code of the page, with a model of the native inputs for dates and times. */

import { allFields, isZoned, type Values } from "../../src/core/form.ts";
import type { Field, Form, InputRequest, Option, Row } from "../../src/core/generated/wire.ts";
import { findErrors } from "../../src/elements/check.ts";
import "../../src/elements/rules/faults.ts";
import { onlyField, openForm } from "../../src/elements/choices/open.ts";
import { flattenForm, flattenValues, foldValues } from "../../src/elements/choices/rows.ts";
import { isObject } from "../../src/elements/drafts/storage.ts";
import { collectValues, type Draft, EMPTY, startDraft } from "../../src/elements/entries.ts";
import { localizedRequest } from "../../src/elements/texts/texts.ts";
import { localOf } from "../../src/elements/timezone/timezone.ts";

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
export function fillIn(
  form: Form,
  values: unknown,
  patterns?: Record<string, string | null>,
  skipped: readonly string[] = [],
  control?: string,
): Outcome {
  const flatValues = isObject(values) ? flattenValues(form, values as Values) : {};
  const flatForm = withSearchOptions(
    flattenForm(form, (key) => key),
    flatValues,
  );
  const initialDraft = startDraft(withoutDefaults(flatForm), "en", undefined, flatValues);
  const { sent, faults } = press(
    flatForm,
    skip(flatForm, limitToNative(flatForm, initialDraft), skipped),
    patterns,
    control,
  );
  return { sent: foldValues(sent), faults };
}

/** The form after the person has found and chosen the values in the sources of its fields. */
function withSearchOptions(form: Form, values: Values): Form {
  const withOptions = (field: Field): Field => {
    if (!("options_from" in field) || !field.options_from) return field;
    const chosenValues = [values[field.id] ?? []].flat() as Option["value"][];
    return { ...field, options: chosenValues.map((value) => ({ value, label: String(value) })) };
  };
  return {
    ...form,
    fields: form.fields?.map(withOptions) ?? null,
    sections: form.sections?.map((each) => ({ ...each, fields: each.fields.map(withOptions) })) ?? null,
  };
}

/** Press "Skip this question" where the page has that button. */
function skip(form: Form, draft: Draft, skipped: readonly string[]): Draft {
  const skippableIds = allFields(form).filter(({ id, allow_skip }) => allow_skip && skipped.includes(id));
  return new Map([...draft, ...skippableIds.map(({ id }) => [id, { ...EMPTY, skipped: true }] as const)]);
}

/** Press Submit with a draft as the controls hold it. */
export function press(
  fullForm: Form,
  draft: Draft,
  patterns?: Record<string, string | null>,
  control?: string,
): Outcome {
  const openedForm = openForm(fullForm, draft, "en");
  const form = control === undefined ? openedForm : onlyField(openedForm, control);
  const sentValues = collectValues(form, draft, "en");
  const validityOf = (field: Field) => nativeValidity(field, draft.get(field.id)?.text ?? "");
  const faultsIn = (locale: "en" | "de") =>
    findErrors(
      { form: inLanguage(form, locale), values: sentValues, draft, patterns, validityOf },
      { locale },
    );
  const german = faultsIn("de");
  const faults = faultsIn("en").map(({ path, message }, at) => ({
    path,
    en: message,
    de: german[at]?.message ?? "",
  }));
  return { sent: sentValues, faults: faults.sort((a, b) => (a.path < b.path ? -1 : 1)) };
}

/** The form as the page shows it to a reader of one language. */
const inLanguage = (form: Form, locale: string): Form =>
  localizedRequest({ form } as InputRequest, [locale]).form as Form;

/** Values without the boxes that are not ticked: the page sends false for them, other clients leave them out. */
export function withoutUnticked(form: Form, values: Values): Values {
  const boxes = new Set(allFields(form).flatMap((field) => (isBox(field) ? [field.id] : [])));
  return Object.fromEntries(
    Object.entries(values).filter(([id, value]) => !(boxes.has(id) && value === false)),
  );
}

/** Values without those of read-only fields, which only the server fills in. */
export function withoutReadonly(form: Form, values: Values): Values {
  const readonlyIds = new Set(allFields(form).flatMap((field) => (field.readonly ? [field.id] : [])));
  return Object.fromEntries(Object.entries(values).filter(([id]) => !readonlyIds.has(id)));
}

const isBox = ({ type }: Field): boolean => type === "boolean" || type === "checkbox";

/** The form without anything that is filled in before the person begins. */
function withoutDefaults(form: Form): Form {
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

/** A draft without the texts that a native input cannot hold. */
export function limitToNative(form: Form, draft: Draft): Draft {
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
  const nativeBound = (at?: string | null) => (at && isZoned(field) ? localOf(at) : at) || undefined;
  const seconds = (at: string) => (field.type === "date" || at.split(":").length > 2 ? at : `${at}:00`);
  const [min, max] = [nativeBound(field.min), nativeBound(field.max)];
  return {
    badInput: false,
    rangeUnderflow: !!text && min !== undefined && seconds(text) < seconds(min),
    rangeOverflow: !!text && max !== undefined && seconds(text) > seconds(max),
  } as ValidityState;
}

/** A form as the server sends it, from one as an agent writes it. */
export function normalForm(agentForm: unknown): Form {
  const form = agentForm as Form;
  const fields = form.fields && { fields: form.fields.map(normalField) };
  const sections = form.sections && {
    sections: form.sections.map((section) => ({ ...section, fields: section.fields.map(normalField) })),
  };
  return { ...form, ...fields, ...sections };
}

const normalRow = (row: Row): Row => ({ ...row, fields: row.fields?.map(normalField) as Row["fields"] });

type Loose<T> = Omit<T, "options"> & { options?: (string | Partial<Option>)[] | undefined };

function normalField(field: Field): Field {
  if (field.type === "rows") return { ...field, rows: field.rows.map(normalRow) };
  const { options, ...otherMembers } = field as Loose<Field & { widget?: string }>;
  if (!options && otherMembers.type !== "select") return field;
  const writtenOptions = options?.length ? options : otherMembers.widget === "confirm" ? ["Yes", "No"] : [];
  return { ...otherMembers, options: writtenOptions.map(normalOption) } as Field;
}

function normalOption(option: string | Partial<Option>): Option {
  if (typeof option === "string") return { value: option, label: option };
  const label = option.label ?? "";
  return { ...option, value: option.value ?? label, label };
}
