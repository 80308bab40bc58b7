/** Says what was answered, in words. */

import { allFields, type Values } from "../../core/form.ts";
import type { Answer, Field, Form, InputRequest, Json } from "../../core/generated/wire.ts";
import { own } from "../../core/path.ts";
import { collect, type Draft, start } from "../draft.ts";
import { texts as parts } from "../localtexts.ts";
import { onDemand } from "../ondemand.ts";
import { labelOf } from "../show.ts";
import { type Say, variantOf } from "../text.ts";

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

function one(field: Field, value: Json, locale: string, say: Say, seen?: string): string {
  if (typeof value === "boolean") return say(value ? "yes" : "no");
  if ("options" in field)
    return labelOf(
      field,
      field.options.find((option) => option.value === value) ?? { label: seen ?? String(value) },
      say,
    );
  if (typeof value === "number")
    return new Intl.NumberFormat(variantOf(locale), { maximumFractionDigits: 20 }).format(value);
  if (field.type === "file") return String((value as { name?: string }).name);
  return field.type === "date" || field.type === "datetime" ? moment(String(value), locale) : String(value);
}

/** A value as the person reads it, or an empty text where nothing was given. */
export function valueText(field: Field, answer: Answer, locale: string, say: Say): string {
  const value = own(answer.values, field.id) ?? null;
  if (value === null) return "";
  const seen = own(answer.shown?.options, field.id);
  if (!Array.isArray(value)) return one(field, value, locale, say, seen?.[0]);
  return new Intl.ListFormat(locale, { type: "unit" }).format(
    value.map((v, at) => one(field, v, locale, say, seen?.[at])),
  );
}

/** The whole answer in one line: by the form's own template, else the values one after the other. */
export function answerLine(form: Form, answer: Answer, locale: string, say: Say): string {
  const each = new Map(allFields(form).map((field) => [field.id, valueText(field, answer, locale, say)]));
  const texts = parts.joinRows?.(form, each) ?? each;
  const template = form.completed_view?.summary_template;
  if (template) return template.replace(/\{([^{}]+)\}/g, (whole, id: string) => texts.get(id) ?? whole);
  return [...texts.values()].filter(Boolean).join(" · ") || say("submitted_empty");
}

/** A form, and what is entered in it. */
interface EnteredForm {
  readonly form: Form;
  /** The form with the fields that the person may answer now. */
  readonly open: Form;
  readonly draft: Draft;
  readonly revision: { withLeft(text: string): string } | undefined;
  readonly host: { readonly locale: string; readonly say: Say };
}

/** What was entered in a form and is neither an initial value nor the answer, in one line, and what has no place any more. */
export function unsentLine(entered: EnteredForm, { answer }: InputRequest): string {
  const { form, open, draft, revision, host } = entered;
  const { locale, say } = host;
  const line = (values: Values) =>
    answerLine({ ...form, completed_view: null }, { values }, locale, say).trim();
  const now = line(collect(open, draft, locale));
  const known = [line(collect(form, start(form, locale), locale)), line(answer?.values ?? {})];
  const unsent = known.includes(now) ? "" : now;
  return revision?.withLeft(unsent) ?? unsent;
}

Object.assign(onDemand, { answerLine, unsentLine, valueText });
