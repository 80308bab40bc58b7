/** The check of one value against its field; the value is known to be provided. */

import { onStep } from "./decimal.ts";
import limits from "./generated/limits.json" with { type: "json" };
import { instant } from "./moments.ts";
import { codePoints, hasControl, hasLoneSurrogate, isBlank } from "./text.ts";
import type {
  BooleanField,
  Field,
  Json,
  MomentField,
  MultiField,
  NumberField,
  SingleField,
  TextField,
} from "./types.ts";

export type Matches = (value: string) => boolean;

/** Where in the value (an index, or null for the whole), the catalogue key, what the sentence names. */
type Found = [at: number | null, key: string, params?: Record<string, unknown> | undefined];

export interface Outcome {
  clean: Json;
  other: boolean;
  faults: Found[];
}

/** Check a value that was provided; `clean` counts only without faults. */
export function checkValue(field: Field, value: unknown, matches: Matches): Outcome {
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
      return checkMoment(field, value);
  }
}

function refuse(key: string, params?: Record<string, unknown>): Outcome {
  return { clean: null, other: false, faults: [[null, key, params]] };
}

function accept(clean: Json, other = false): Outcome {
  return { clean, other, faults: [] };
}

function outcome(clean: Json, faults: Found[], other = false): Outcome {
  return { clean, other, faults };
}

function checkText(field: TextField, value: unknown, matches: Matches): Outcome {
  if (typeof value !== "string") return refuse("wrong_type.answer_text");
  const lines = field.type === "textarea";
  const clean = lines ? value.replaceAll("\r\n", "\n") : value;
  if (hasLoneSurrogate(clean)) return refuse("lone_surrogate");
  if (hasControl(clean, lines)) return refuse("control_chars.answer");
  const faults: Found[] = [];
  const length = codePoints(clean);
  const cap = lines ? limits.textarea_answer : limits.text_answer;
  const max = Math.min(field.max_length ?? cap, cap);
  if (field.min_length != null && length < field.min_length) {
    faults.push([null, "too_short", { min: field.min_length }]);
  }
  if (length > max) faults.push([null, "too_long", { max }]);
  if (!matches(clean)) faults.push(mismatch(field));
  return outcome(clean, faults);
}

function mismatch(field: TextField): Found {
  const message = field.pattern_message;
  return message ? [null, "pattern_mismatch.custom", { message }] : [null, "pattern_mismatch"];
}

function checkNumber(field: NumberField, value: unknown): Outcome {
  if (typeof value !== "number" || !Number.isFinite(value)) return refuse("wrong_type.answer_number");
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return refuse("number_too_large");
  const { min, max, step } = field;
  const faults: Found[] = [];
  if (min != null && value < min) faults.push([null, "below_min", { min }]);
  if (max != null && value > max) faults.push([null, "above_max", { max }]);
  if (step != null && !onStep(value, min ?? 0, step)) {
    faults.push(min ? [null, "step_mismatch.from", { min, step }] : [null, "step_mismatch", { step }]);
  }
  return outcome(value, faults);
}

function checkBoolean(field: BooleanField, value: unknown): Outcome {
  if (typeof value !== "boolean") return refuse("wrong_type.answer_boolean");
  return field.required && !value ? refuse("required_missing") : accept(value);
}

function checkSingle(field: SingleField, value: unknown): Outcome {
  if (typeof value !== "string") return refuse("wrong_type.answer_option");
  if (field.options.some((option) => option.value === value)) return accept(value);
  const found = field.allow_other ? checkOther(value) : (["value_not_in_options"] as const);
  return found ? outcome(value, [[null, ...found]]) : accept(value, true);
}

function checkOther(value: string): readonly [key: string, params?: Record<string, unknown>] | null {
  if (isBlank(value)) return ["empty.other"];
  if (hasLoneSurrogate(value)) return ["lone_surrogate"];
  if (hasControl(value, false)) return ["control_chars.answer"];
  const max = limits.text_answer;
  return codePoints(value) > max ? ["too_long", { max }] : null;
}

function checkMulti(field: MultiField, value: unknown): Outcome {
  if (!Array.isArray(value)) return refuse("wrong_type.answer_options");
  const given: unknown[] = value;
  const faults = given.flatMap((item, index) => checkItem(field, given, item, index));
  const { min_choices: min, max_choices: max } = field;
  if (min != null && given.length < min) faults.push([null, "too_few.choices", { min }]);
  if (max != null && given.length > max) faults.push([null, "too_many.choices", { max }]);
  const known = field.options.map((option) => option.value);
  const typed = given.filter((item) => !known.includes(item as string));
  const clean = [...known.filter((option) => given.includes(option)), ...typed] as string[];
  return outcome(clean, faults, typed.length > 0);
}

function checkItem(field: MultiField, given: unknown[], item: unknown, index: number): Found[] {
  if (typeof item !== "string") return [[index, "wrong_type.answer_item"]];
  if (given.indexOf(item) < index) return [[index, "duplicate_selection"]];
  if (field.options.some((option) => option.value === item)) return [];
  const found = field.allow_other ? checkOther(item) : (["value_not_in_options.item"] as const);
  return found ? [[index, ...found]] : [];
}

function checkMoment(field: MomentField, value: unknown): Outcome {
  if (typeof value !== "string") return refuse("wrong_type.answer_moment");
  const moment = instant(field.type, value);
  if (moment === null) return refuse(`invalid_${field.type}`);
  const { min, max } = field;
  const faults: Found[] = [];
  const kind = field.type === "time" ? "time" : "date";
  if (min != null && moment < (instant(field.type, min) ?? moment))
    faults.push([null, `below_min.${kind}`, { min }]);
  if (max != null && moment > (instant(field.type, max) ?? moment))
    faults.push([null, `above_max.${kind}`, { max }]);
  return outcome(value, faults);
}
