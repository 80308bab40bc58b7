import type { Answer, Field, Form, InputRequest, Json } from "../core/wire.ts";
import { allFields } from "../core/wire.ts";
import { type Say, variantOf } from "./text.ts";

/** The one line that stands for the whole question. */
export const questionOf = (request: InputRequest): string =>
  request.form?.title || (request.form && allFields(request.form)[0]?.label) || request.kind;

function moment(text: string, locale: string): string {
  const [stamp = "", bracket] = text.split("[");
  const zone = bracket?.slice(0, -1);
  const local = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?)?$/.test(stamp);
  const at = new Date(local ? `${stamp}${stamp.includes("T") ? "" : "T00:00"}Z` : stamp);
  if (Number.isNaN(at.getTime())) return text;
  const style: Intl.DateTimeFormatOptions = { dateStyle: "long" };
  if (stamp.length > 10) style.timeStyle = "short";
  try {
    const zoneOf = local ? { timeZone: "UTC" } : zone ? { timeZone: zone } : {};
    return (
      new Intl.DateTimeFormat(variantOf(locale), { ...style, ...zoneOf }).format(at) +
      (zone ? ` (${zone})` : "")
    );
  } catch {
    return text;
  }
}

function one(field: Field, value: Json, locale: string, say: Say): string {
  if (typeof value === "boolean") return say(value ? "yes" : "no");
  if (typeof value === "number")
    return new Intl.NumberFormat(variantOf(locale), { maximumFractionDigits: 20 }).format(value);
  if ("options" in field)
    return field.options.find((option) => option.value === value)?.label ?? String(value);
  return field.type === "date" || field.type === "datetime" ? moment(String(value), locale) : String(value);
}

/** A value as the person reads it, or an empty text where nothing was given. */
export function valueText(field: Field, answer: Answer, locale: string, say: Say): string {
  const value = Object.hasOwn(answer.values, field.id) ? answer.values[field.id] : null;
  if (value === undefined || value === null) return "";
  if (!Array.isArray(value)) return one(field, value, locale, say);
  return new Intl.ListFormat(locale, { type: "unit" }).format(value.map((v) => one(field, v, locale, say)));
}

/** The whole answer in one line: by the form's own template, else the values one after the other. */
export function answerLine(form: Form, answer: Answer, locale: string, say: Say): string {
  const texts = new Map(allFields(form).map((field) => [field.id, valueText(field, answer, locale, say)]));
  const template = form.completed_view?.summary_template;
  if (template) return template.replace(/\{([^{}]+)\}/g, (whole, id: string) => texts.get(id) ?? whole);
  return [...texts.values()].filter(Boolean).join(" · ");
}
