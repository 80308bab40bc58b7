/**
 * What is wrong with the values that a form's own controls made.
 *
 * A page needs no more: each value is for a field that there is, of its type (but for a number that is none), texts are
 * well formed, and what is chosen is an option or a text of the person's own. `answer.ts` checks what anybody may have
 * written.
 */

import { onStep } from "./decimal.ts";
import { fault } from "./fault.ts";
import { text_answer as TEXT_LIMIT, textarea_answer as TEXTAREA_LIMIT } from "./generated/limits.json";
import { join, own } from "./path.ts";
import { browserMatches } from "./patterns.ts";
import { codePoints, hasControl, isBlank } from "./text.ts";
import type { ChoiceField, Fault, Field, Form, Json, MultiField, NumberField, TextField } from "./wire.ts";

export type Matches = (value: string) => boolean;

/** The catalogue key, and what its sentence names. */
export type Reason = readonly [key: string, params?: Record<string, unknown>];

/** Where in the value: an index, or null for the whole. */
export type Found = readonly [at: number | null, ...Reason];

/** Finds what is wrong with a value that was provided. */
export type Check = (field: Field, value: Json, matches: Matches) => readonly Found[];

export interface Rules {
  /** `request.view.patterns`: by field id, JavaScript or null where only the server decides. */
  patterns?: Record<string, string | null> | undefined;
  /** Check the fields that are left to the server as well. */
  strict?: boolean | undefined;
  check?: Check;
}

/** Every fault of the values, in the order of the fields. */
export function findFaults(form: Form, values: Record<string, unknown>, rules: Rules): Fault[] {
  return begun(form, values).flatMap((field) => fieldFaults(field, own(values, field.id), rules));
}

/** The fields that an answer is about: all but those of optional sections that nobody has begun. */
export function begun(form: Form, values: Record<string, unknown>): readonly Field[] {
  const sections = form.sections ?? [{ fields: form.fields ?? [], optional: false }];
  return sections.flatMap(({ fields, optional }) =>
    optional && fields.every((field) => isUntouched(field, own(values, field.id))) ? [] : fields,
  );
}

/** Whether a form may be submitted without filling anything in (requirement: N18). */
export function isOptional(form: Form): boolean {
  const sections = form.sections ?? [{ fields: form.fields ?? [], optional: false }];
  return sections.every(({ fields, optional }) => optional || !fields.some((field) => field.required));
}

/** A box that is not ticked does not make a section begun. */
function isUntouched(field: Field, value: unknown): boolean {
  const box = field.type === "boolean" || field.type === "checkbox";
  return !isProvided(field, value) || (box && value === false);
}

/** Whether something was said: null, an empty text or list, and for most fields blank text, are silence. */
export function isProvided(field: Field, value: unknown): boolean {
  if (value === undefined || value === null || value === "") return false;
  if (Array.isArray(value)) return value.length > 0;
  return !(typeof value === "string" && !("options" in field) && isBlank(value));
}

function fieldFaults(field: Field, value: unknown, rules: Rules): readonly Fault[] {
  const { patterns, strict, check = checkEntered } = rules;
  const { id, required, validate_on_client } = field;
  const path = join("values", id);
  if (validate_on_client === false && !strict) return [];
  if (!isProvided(field, value)) return required ? [fault(path, "required_missing")] : [];
  return check(field, value as Json, (text) => browserMatches(own(patterns, id), text)).map(
    ([at, key, params]) => fault(at === null ? path : join(path, at), key, params),
  );
}

/** One fault or none. */
export const found = (reason: Reason | null, at: number | null = null): readonly Found[] =>
  reason ? [[at, ...reason]] : [];

/** Check what a control made. Dates are native inputs' own, which know their bounds. */
export function checkEntered(field: Field, value: Json, matches: Matches): readonly Found[] {
  switch (field.type) {
    case "text":
    case "textarea":
      return found(textReason(field, value as string, matches));
    case "number":
      return found(numberReason(field, value));
    case "boolean":
    case "checkbox":
      return found(field.required && !value ? ["required_missing"] : null);
    case "select":
    case "radio":
      return found(choiceReason(field, value as string));
    case "multiselect": {
      const chosen = value as string[];
      const each = chosen.flatMap((item, at) => found(choiceReason(field, item), at));
      return [...found(countReason(field, chosen.length)), ...each];
    }
    default:
      return [];
  }
}

function textReason(field: TextField, text: string, matches: Matches): Reason | null {
  const lines = field.type === "textarea";
  return (
    characterReason(text, lines) ??
    lengthReason(text, field.min_length, field.max_length ?? (lines ? TEXTAREA_LIMIT : TEXT_LIMIT)) ??
    (matches(text) ? null : patternReason(field))
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
  if (!Number.isFinite(value)) return ["non_finite_number"];
  if (min != null && value < min) return ["below_min", { min }];
  if (max != null && value > max) return ["above_max", { max }];
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return ["number_too_large"];
  if (step == null || onStep(value, min ?? 0, step)) return null;
  return min ? ["step_mismatch.from", { min, step }] : ["step_mismatch", { step }];
}

export const isOption = ({ options }: ChoiceField, value: Json): boolean =>
  options.some((option) => option.value === value);

/** What is wrong with a choice, which is an option or a text of one's own. */
export function choiceReason(field: ChoiceField, value: string): Reason | null {
  if (isOption(field, value)) return null;
  if (isBlank(value)) return ["empty.other"];
  return characterReason(value, false) ?? lengthReason(value, null, TEXT_LIMIT);
}

export function countReason(
  { min_choices: min, max_choices: max }: MultiField,
  count: number,
): Reason | null {
  if (min != null && count < min) return ["too_few.choices", { min }];
  return max != null && count > max ? ["too_many.choices", { max }] : null;
}
