/**
 * Checks the values that a form's own controls made.
 *
 * Each value belongs to a field of the form and has the type of the field, except for a number that could not be read,
 * which is still a text. A choice is an option or the text of "Other". The server checks every answer again.
 */

import {
  type ChoiceField,
  isOption,
  isProvided,
  type OptionValue,
  sectionsOf,
  type TextField,
} from "./form.ts";
import type { Field, Form, Json, Multiselect, Number as NumberField } from "./generated/wire.ts";
import { type Fault, fault } from "./messages.ts";
import { join, ownValue, valuePath } from "./path.ts";
import { codePoints, isBlank } from "./text.ts";

/** `request.view.patterns`: by field id, a JavaScript pattern, or null where only the server checks the pattern. */
export type Patterns = Record<string, string | null> | undefined;

/** A key of the catalogue, and the parameters of its sentence. */
type Reason = readonly [key: string, params?: Record<string, unknown>];

/** Return every fault of the values, in the order of the fields. */
export function findValueFaults(form: Form, values: Record<string, unknown>, patterns: Patterns): Fault[] {
  return answeredFields(form, values).flatMap((field) =>
    fieldFaults(field, ownValue(values, field.id), patterns),
  );
}

/** All fields, except those of optional sections in which nothing is entered. */
function answeredFields(form: Form, values: Record<string, unknown>): readonly Field[] {
  return sectionsOf(form).flatMap(({ fields, optional }) =>
    optional && fields.every((field) => isUntouched(field, ownValue(values, field.id))) ? [] : fields,
  );
}

/** Whether a form may be submitted without filling anything in (requirement: N18). */
export function isOptional(form: Form): boolean {
  return sectionsOf(form).every(
    ({ fields, optional }) => optional || !fields.some((field) => field.required),
  );
}

/** An unticked box does not count as entered. */
function isUntouched(field: Field, value: unknown): boolean {
  const box = field.type === "boolean" || field.type === "checkbox";
  return !isProvided(field, value) || (box && value === false);
}

function fieldFaults(field: Field, value: unknown, patterns: Patterns): readonly Fault[] {
  const { id, required, validate_on_client } = field;
  const path = valuePath(id);
  if (validate_on_client === false) return [];
  if (!isProvided(field, value)) return required ? [fault(path, "required_missing")] : [];
  if (field.type === "multiselect") return choicesFaults(field, value as OptionValue[], path);
  return faultOf(path, reasonOf(field, value as Json, ownValue(patterns, id)));
}

const faultOf = (path: string, reason: Reason | null): readonly Fault[] =>
  reason ? [fault(path, ...reason)] : [];

function choicesFaults(field: Multiselect, values: readonly OptionValue[], path: string): readonly Fault[] {
  const itemFaults = values.flatMap((item, index) => faultOf(join(path, index), choiceReason(field, item)));
  return [...faultOf(path, countReason(field, values.length)), ...itemFaults];
}

/** Dates are checked by their native inputs: see `elements/rules/faults.ts`. */
function reasonOf(
  field: Exclude<Field, Multiselect>,
  value: Json,
  pattern: string | null | undefined,
): Reason | null {
  switch (field.type) {
    case "text":
    case "textarea":
      return textReason(field, value as string, pattern);
    case "number":
      return numberReason(field, value) ?? patternReason(String(value), pattern);
    case "boolean":
    case "checkbox":
      return field.required && !value ? ["required_missing"] : null;
    case "select":
    case "radio":
      return choiceReason(field, value as OptionValue);
    default:
      return patternReason(value as string, pattern);
  }
}

function textReason(field: TextField, text: string, pattern: string | null | undefined): Reason | null {
  return (
    characterReason(text, field.type === "textarea") ??
    lengthReason(text, field) ??
    patternReason(text, pattern, field.pattern_message)
  );
}

/** A line (or with `lines` a text of several) has no character that no keyboard types. */
function characterReason(text: string, lines: boolean): Reason | null {
  const control = lines ? /[^\P{Cc}\t\n\r]/u : /[^\P{Cc}\t]/u;
  return control.test(text) ? ["control_chars.answer"] : null;
}

/** Only the bounds of the field: those of the server are settings, and it applies them itself. */
function lengthReason(text: string, { min_length: min, max_length: max }: TextField): Reason | null {
  const length = codePoints(text);
  if (min != null && length < min) return ["too_short", { min }];
  return max != null && length > max ? ["too_long", { max }] : null;
}

const patternReason = (value: string, pattern: string | null | undefined, message?: string | null) =>
  browserMatches(pattern, value) ? null : (["pattern_mismatch", { message }] as const);

function numberReason({ min, max, step }: NumberField, value: Json): Reason | null {
  if (typeof value !== "number") return ["wrong_type.answer_number"];
  if (min != null && value < min) return ["below_min", { min }];
  if (max != null && value > max) return ["above_max", { max }];
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return ["number_too_large"];
  if (step == null || onStep(value, min ?? 0, step)) return null;
  return min ? ["step_mismatch.from", { min, step }] : ["step_mismatch", { step }];
}

/** Check a choice: an option, or the text of "Other". */
function choiceReason(field: ChoiceField, value: OptionValue): Reason | null {
  if (isOption(field, value)) return null;
  const text = String(value);
  if (isBlank(text)) return ["empty.other"];
  return characterReason(text, false);
}

function countReason({ min_choices: min, max_choices: max }: Multiselect, count: number): Reason | null {
  if (min != null && count < min) return ["too_few.choices", { min }];
  return max != null && count > max ? ["too_many.choices", { max }] : null;
}

/**
 * Whether `value` fits a pattern that the server rewrote for the browser.
 *
 * True as well where there is none to run, or the engine is older than the pattern: then only the server decides. An
 * agent's own pattern is never run here, since it could keep the page busy forever.
 */
export function browserMatches(source: string | null | undefined, value: string): boolean {
  try {
    return source == null || new RegExp(source, "u").test(value);
  } catch {
    return true;
  }
}

/** Exact decimals, read from the shortest text of a number: 0.3 is three tenths, not its nearest double. */
interface Decimal {
  digits: bigint;
  exponent: number;
}

function decimal(value: number): Decimal {
  const [mantissa = "0", exponent = "0"] = String(value).split("e");
  const [integer = "0", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(integer + fraction), exponent: Number(exponent) - fraction.length };
}

function scale(value: Decimal, exponent: number): bigint {
  return value.digits * 10n ** BigInt(value.exponent - exponent);
}

/** Whether `value` is `base` plus a whole number of steps. */
function onStep(value: number, base: number, step: number): boolean {
  const parts = [decimal(value), decimal(base), decimal(step)] as const;
  const exponent = Math.min(...parts.map((part) => part.exponent));
  const [v, b, s] = parts.map((part) => scale(part, exponent)) as [bigint, bigint, bigint];
  return (v - b) % s === 0n;
}
