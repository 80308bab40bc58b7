/** Says what was answered, in words. */

import { allFields, type Values } from "../../core/form.ts";
import type { Answer, Field, Form, InputRequest, Json } from "../../core/generated/wire.ts";
import { ownValue } from "../../core/path.ts";
import { collectValues, type Draft, startDraft } from "../entries.ts";
import { labelOf } from "../labels.ts";
import { texts as parts } from "../localtexts.ts";
import { onDemand } from "../ondemand.ts";
import { type GetText, variantOf } from "../text.ts";

/** A date or a moment in words, in the zone that it names; what is none stays as it is. */
function moment(text: string, locale: string): string {
  const [stamp = "", bracket] = text.split("[");
  const zone = bracket?.slice(0, -1);
  const fixed = /(Z|[+-]\d\d:\d\d)$/i.test(stamp.slice(10));
  try {
    const format = new Intl.DateTimeFormat(variantOf(locale), {
      dateStyle: "long",
      timeStyle: stamp.length > 10 ? "short" : undefined,
      timeZone: fixed ? zone : "UTC",
    });
    return (
      format.format(new Date(fixed || stamp.length === 10 ? stamp : `${stamp}Z`)) + (zone ? ` (${zone})` : "")
    );
  } catch {
    return text;
  }
}

function answerText(
  field: Field,
  value: Json,
  locale: string,
  getText: GetText,
  shownLabel?: string,
): string {
  if (typeof value === "boolean") return getText(value ? "yes" : "no");
  if ("options" in field)
    return labelOf(
      field,
      field.options.find((option) => option.value === value) ?? { label: shownLabel ?? String(value) },
      getText,
    );
  if (typeof value === "number")
    return new Intl.NumberFormat(variantOf(locale), { maximumFractionDigits: 20 }).format(value);
  if (field.type === "file") return String((value as { name?: string }).name);
  return field.type === "date" || field.type === "datetime" ? moment(String(value), locale) : String(value);
}

/** A value as the person reads it, or an empty text where nothing was given. */
export function valueText(field: Field, answer: Answer, locale: string, getText: GetText): string {
  const value = ownValue(answer.values, field.id) ?? null;
  if (value === null) return "";
  const shownLabels = ownValue(answer.shown?.options, field.id);
  if (!Array.isArray(value)) return answerText(field, value, locale, getText, shownLabels?.[0]);
  return new Intl.ListFormat(locale, { type: "unit" }).format(
    value.map((v, at) => answerText(field, v, locale, getText, shownLabels?.[at])),
  );
}

/** The whole answer in one line: by the form's own template, else the values one after the other. */
export function answerLine(form: Form, answer: Answer, locale: string, getText: GetText): string {
  const textsById = new Map(
    allFields(form).map((field) => [field.id, valueText(field, answer, locale, getText)]),
  );
  const texts = parts.joinRows?.(form, textsById) ?? textsById;
  const template = form.completed_view?.summary_template;
  if (template) return template.replace(/\{([^{}]+)\}/g, (_, id: string) => texts.get(id) ?? "");
  return [...texts.values()].filter(Boolean).join(" · ") || getText("submitted_empty");
}

/** A form, and what is entered in it. */
interface EnteredForm {
  readonly form: Form;
  readonly draft: Draft;
  readonly revision: { withRemoved(text: string): string } | undefined;
  readonly host: { readonly locale: string; readonly getText: GetText };
}

/**
 * What was entered in a form, in one line, and what no longer has a place: the values that are neither initial values
 * nor those of the answer. Hidden and read-only fields, and those of other steps, have their initial values.
 */
export function unsentLine(enteredForm: EnteredForm, { answer }: InputRequest): string {
  const { form, draft, revision, host } = enteredForm;
  const { locale, getText } = host;
  const initial = collectValues(form, startDraft(form, locale), locale);
  const isSameIn = (values: Values | undefined, [id, value]: [string, Json]) =>
    JSON.stringify(ownValue(values, id)) === JSON.stringify(value);
  const changedPairs = Object.entries(collectValues(form, draft, locale)).filter(
    (pair) => !isSameIn(initial, pair),
  );
  const values = Object.fromEntries(changedPairs);
  const isKnown = changedPairs.every((pair) => isSameIn(answer?.values, pair));
  const unsentText = isKnown
    ? ""
    : answerLine({ ...form, completed_view: null }, { values }, locale, getText).trim();
  return revision?.withRemoved(unsentText) ?? unsentText;
}

Object.assign(onDemand, { answerLine, unsentLine, valueText });
