/**
 * Checks the values that a form's own controls made.
 *
 * Each value belongs to a field of the form and has the type of the field, except for a number that could not be read,
 * which is still a text. A choice is an option or the text of "Other". The server checks every answer again.
 */

import { onStep } from "./decimal.ts";
import type { Fault } from "./fault.ts";
import { fault } from "./fault.ts";
import {
  type ChoiceField,
  type Field,
  type Form,
  type MultiField,
  type NumberField,
  sectionsOf,
  type TextField,
} from "./form.ts";
import { text_answer as TEXT_LIMIT, textarea_answer as TEXTAREA_LIMIT } from "./generated/limits.json";
import type { Json } from "./json.ts";
import { join, own } from "./path.ts";
import { browserMatches } from "./patterns.ts";
import { codePoints, hasControl, isBlank } from "./text.ts";

/** `request.view.patterns`: by field id, a JavaScript pattern, or null where only the server checks the pattern. */
export type Patterns = Record<string, string | null> | undefined;

/** A key of the catalogue, and the parameters of its sentence. */
type Reason = readonly [key: string, params?: Record<string, unknown>];

/** Return every fault of the values, in the order of the fields. */
export function findFaults(form: Form, values: Record<string, unknown>, patterns: Patterns): Fault[] {
  return answeredFields(form, values).flatMap((field) => fieldFaults(field, own(values, field.id), patterns));
}

/** All fields, except those of optional sections in which nothing is entered. */
function answeredFields(form: Form, values: Record<string, unknown>): readonly Field[] {
  return sectionsOf(form).flatMap(({ fields, optional }) =>
    optional && fields.every((field) => isUntouched(field, own(values, field.id))) ? [] : fields,
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

/** Whether a value counts as an answer: null, an empty text or list and, except for choices, a blank text do not. */
export function isProvided(field: Field, value: unknown): boolean {
  if (value === undefined || value === null || value === "") return false;
  if (Array.isArray(value)) return value.length > 0;
  return !(typeof value === "string" && !("options" in field) && isBlank(value));
}

function fieldFaults(field: Field, value: unknown, patterns: Patterns): readonly Fault[] {
  const { id, required, validate_on_client } = field;
  const path = join("values", id);
  if (validate_on_client === false) return [];
  if (!isProvided(field, value)) return required ? [fault(path, "required_missing")] : [];
  if (field.type === "multiselect") return choicesFaults(field, value as string[], path);
  return faultOf(path, reasonOf(field, value as Json, own(patterns, id)));
}

const faultOf = (path: string, reason: Reason | null): readonly Fault[] =>
  reason ? [fault(path, ...reason)] : [];

function choicesFaults(field: MultiField, chosen: readonly string[], path: string): readonly Fault[] {
  const each = chosen.flatMap((item, at) => faultOf(join(path, at), choiceReason(field, item)));
  return [...faultOf(path, countReason(field, chosen.length)), ...each];
}

/** Dates are checked by their native inputs: see `elements/check.ts`. */
function reasonOf(
  field: Exclude<Field, MultiField>,
  value: Json,
  pattern: string | null | undefined,
): Reason | null {
  switch (field.type) {
    case "text":
    case "textarea":
      return textReason(field, value as string, pattern);
    case "number":
      return numberReason(field, value);
    case "boolean":
    case "checkbox":
      return field.required && !value ? ["required_missing"] : null;
    case "select":
    case "radio":
      return choiceReason(field, value as string);
    default:
      return null;
  }
}

function textReason(field: TextField, text: string, pattern: string | null | undefined): Reason | null {
  const lines = field.type === "textarea";
  return (
    characterReason(text, lines) ??
    lengthReason(text, field.min_length, field.max_length ?? (lines ? TEXTAREA_LIMIT : TEXT_LIMIT)) ??
    (browserMatches(pattern, text) ? null : patternReason(field))
  );
}

function characterReason(text: string, lines: boolean): Reason | null {
  return hasControl(text, lines) ? ["control_chars.answer"] : null;
}

function lengthReason(text: string, min: number | null | undefined, max: number): Reason | null {
  const length = codePoints(text);
  if (min != null && length < min) return ["too_short", { min }];
  return length > max ? ["too_long", { max }] : null;
}

function patternReason({ pattern_message: message }: TextField): Reason {
  return message ? ["pattern_mismatch.custom", { message }] : ["pattern_mismatch"];
}

function numberReason({ min, max, step }: NumberField, value: Json): Reason | null {
  if (typeof value !== "number") return ["wrong_type.answer_number"];
  if (min != null && value < min) return ["below_min", { min }];
  if (max != null && value > max) return ["above_max", { max }];
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return ["number_too_large"];
  if (step == null || onStep(value, min ?? 0, step)) return null;
  return min ? ["step_mismatch.from", { min, step }] : ["step_mismatch", { step }];
}

const isOption = ({ options }: ChoiceField, value: Json): boolean =>
  options.some((option) => option.value === value);

/** Check a choice: an option, or the text of "Other". */
function choiceReason(field: ChoiceField, value: string): Reason | null {
  if (isOption(field, value)) return null;
  if (isBlank(value)) return ["empty.other"];
  return characterReason(value, false) ?? lengthReason(value, null, TEXT_LIMIT);
}

function countReason({ min_choices: min, max_choices: max }: MultiField, count: number): Reason | null {
  if (min != null && count < min) return ["too_few.choices", { min }];
  return max != null && count > max ? ["too_many.choices", { max }] : null;
}
