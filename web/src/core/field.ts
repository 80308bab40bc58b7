/** The check of one value against its field. */

import { onStep } from "./decimal.ts";
import {
  options as CHOICES_LIMIT,
  text_answer as TEXT_LIMIT,
  textarea_answer as TEXTAREA_LIMIT,
} from "./generated/limits.json";
import { codePoints, hasControl, hasLoneSurrogate, isBlank } from "./text.ts";
import type {
  BooleanField,
  Field,
  Json,
  MomentField,
  MultiField,
  NumberField,
  Option,
  SingleField,
  TextField,
} from "./wire.ts";

export type Matches = (value: string) => boolean;

/** The catalogue key, and what its sentence names. */
export type Reason = readonly [key: string, params?: Record<string, unknown>];
/** What is wrong with a date, time or moment, if anything. */
export type MomentCheck = (field: MomentField, value: string) => Reason | null;

/** What a check needs of its surroundings; without `moment` dates are left to whoever made them. */
export interface Engines {
  matches: Matches;
  moment?: MomentCheck | undefined;
}

/** Where in the value: an index, or null for the whole. */
type Found = readonly [at: number | null, ...Reason];

export interface Outcome {
  clean: Json;
  other: boolean;
  faults: readonly Found[];
}

/** Whether something was said: null, an empty text or list, and for most fields blank text, are silence. */
export function isProvided(field: Field, value: unknown): boolean {
  if (value === undefined || value === null || value === "") return false;
  if (Array.isArray(value)) return value.length > 0;
  return !(typeof value === "string" && !("options" in field) && isBlank(value));
}

/** Check a value that was provided; `clean` counts only without faults. */
export function checkValue(field: Field, value: unknown, { matches, moment }: Engines): Outcome {
  switch (field.type) {
    case "text":
    case "textarea":
      return checkText(field, value, matches);
    case "number":
      return checkNumber(field, value);
    case "boolean":
    case "checkbox":
      return checkBoolean(field, value);
    case "select":
    case "radio":
      return checkSingle(field, value);
    case "multiselect":
      return checkMulti(field, value);
    default:
      return checkMoment(field, value, moment);
  }
}

/** One fault at the value itself, or none. */
function outcome(clean: Json, reason: Reason | null, other = false): Outcome {
  return { clean, other, faults: reason ? [[null, ...reason]] : [] };
}

function refuse(...reason: Reason): Outcome {
  return outcome(null, reason);
}

function checkText(field: TextField, value: unknown, matches: Matches): Outcome {
  if (typeof value !== "string") return refuse("wrong_type.answer_text");
  const lines = field.type === "textarea";
  const clean = lines ? value.replaceAll("\r\n", "\n") : value;
  return outcome(
    clean,
    textReason(clean, lines) ?? lengthReason(field, clean) ?? patternReason(field, clean, matches),
  );
}

function textReason(text: string, lines: boolean): Reason | null {
  if (hasLoneSurrogate(text)) return ["lone_surrogate"];
  return hasControl(text, lines) ? ["control_chars.answer"] : null;
}

function lengthReason(field: TextField, text: string): Reason | null {
  const length = codePoints(text);
  const max = field.max_length ?? (field.type === "textarea" ? TEXTAREA_LIMIT : TEXT_LIMIT);
  if (field.min_length != null && length < field.min_length) return ["too_short", { min: field.min_length }];
  return length > max ? ["too_long", { max }] : null;
}

function patternReason(field: TextField, text: string, matches: Matches): Reason | null {
  if (matches(text)) return null;
  const message = field.pattern_message;
  return message ? ["pattern_mismatch.custom", { message }] : ["pattern_mismatch"];
}

function checkNumber(field: NumberField, value: unknown): Outcome {
  if (typeof value !== "number") return refuse("wrong_type.answer_number");
  return outcome(value === 0 ? 0 : value, numberReason(field, value));
}

function numberReason({ min, max, step }: NumberField, value: number): Reason | null {
  if (!Number.isFinite(value)) return ["non_finite_number"];
  if (min != null && value < min) return ["below_min", { min }];
  if (max != null && value > max) return ["above_max", { max }];
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return ["number_too_large"];
  if (step == null || onStep(value, min ?? 0, step)) return null;
  return min ? ["step_mismatch.from", { min, step }] : ["step_mismatch", { step }];
}

function checkBoolean(field: BooleanField, value: unknown): Outcome {
  if (typeof value !== "boolean") return refuse("wrong_type.answer_boolean");
  return outcome(value, field.required && !value ? ["required_missing"] : null);
}

const isOption = (options: readonly Option[], value: string) =>
  options.some((option) => option.value === value);

function checkSingle(field: SingleField, value: unknown): Outcome {
  if (typeof value !== "string") return refuse("wrong_type.answer_option");
  if (isOption(field.options, value)) return outcome(value, null);
  return outcome(value, field.allow_other ? ownTextReason(value) : ["value_not_in_options"], true);
}

function ownTextReason(text: string): Reason | null {
  if (isBlank(text)) return ["empty.other"];
  const max = TEXT_LIMIT;
  return textReason(text, false) ?? (codePoints(text) > max ? ["too_long", { max }] : null);
}

function checkMulti(field: MultiField, value: unknown): Outcome {
  if (!Array.isArray(value)) return refuse("wrong_type.answer_options");
  const given: unknown[] = value;
  if (given.length > CHOICES_LIMIT)
    return refuse("too_many.choices", { max: field.max_choices ?? CHOICES_LIMIT });
  const items = given.flatMap((item, index): Found[] => {
    const reason = itemReason(field, item, given.indexOf(item) < index);
    return reason ? [[index, ...reason]] : [];
  });
  const count = countReason(field, given.length);
  const typed = given.filter((item) => !isOption(field.options, item as string));
  const chosen = field.options.map((option) => option.value).filter((option) => given.includes(option));
  const clean = [...chosen, ...typed] as string[];
  return { clean, other: typed.length > 0, faults: count ? [[null, ...count], ...items] : items };
}

function itemReason(field: MultiField, item: unknown, repeated: boolean): Reason | null {
  if (typeof item !== "string") return ["wrong_type.answer_item"];
  if (repeated) return ["duplicate_selection"];
  if (isOption(field.options, item)) return null;
  return field.allow_other ? ownTextReason(item) : ["value_not_in_options.item"];
}

function countReason({ min_choices: min, max_choices: max }: MultiField, count: number): Reason | null {
  if (min != null && count < min) return ["too_few.choices", { min }];
  return max != null && count > max ? ["too_many.choices", { max }] : null;
}

function checkMoment(field: MomentField, value: unknown, moment?: MomentCheck): Outcome {
  if (typeof value !== "string") return refuse("wrong_type.answer_moment");
  return outcome(value, moment?.(field, value) ?? null);
}
