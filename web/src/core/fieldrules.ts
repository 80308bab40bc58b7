/** The rules of a single field of a form, one whose structure is right. */

import { fault } from "./fault.ts";
import { checkValue } from "./field.ts";
import type { FormRules, Limits } from "./form.ts";
import { checkMoment, instant } from "./moments.ts";
import { normalField } from "./normal.ts";
import { optionFaults } from "./optionrules.ts";
import { join } from "./path.ts";
import { textFault, textFaults } from "./textrules.ts";
import { isProvided } from "./values.ts";
import type {
  Fault,
  Field,
  Json,
  MomentField,
  MultiField,
  NumberField,
  SingleField,
  TextField,
} from "./wire.ts";

/** Parts of a field that do not matter for what it would take. */
const OUTWARD = /\.(label|description|placeholder|id)$/;

/** Every fault of a field but its default's. */
export function fieldFaults(field: Field, path: string, rules: FormRules): Fault[] {
  const { limits } = rules;
  const common = textFaults(path, field, {
    id: { max: limits.field_id, filled: true },
    label: { max: limits.label, filled: true },
    description: { max: limits.description, lines: true },
    placeholder: { max: limits.placeholder },
  });
  return [...common, ...typeFaults(field, path, rules)];
}

/** Whether what the field would take is known, though its words may be wrong. */
export function isSound(faults: readonly Fault[], path: string): boolean {
  return faults.every((found) => OUTWARD.test(found.path) && !found.path.startsWith(`${path}.options`));
}

/** The fault of a `default` or an initial value that the field itself would refuse as an answer. */
export function presetFaults(
  field: Field,
  value: unknown,
  path: string,
  key: string,
  rules: FormRules,
): Fault[] {
  const faulty = textsOf(value, path).flatMap(([at, text]) =>
    textFault(at, text, { lines: field.type === "textarea" }),
  );
  if (faulty.length) return faulty;
  const single = field.type === "select" || field.type === "radio";
  if (single && key === "invalid_default" && isForeign(field, value))
    return [fault(path, "default_not_in_options")];
  return accepts(field, value, rules) ? [] : [fault(path, key)];
}

/** The texts of a preset with their places: itself, or the items of a list. */
export function textsOf(value: unknown, path: string): [at: string, text: string][] {
  const items = Array.isArray(value)
    ? value.map((item, i) => [join(path, i), item] as const)
    : [[path, value] as const];
  return items.filter((item): item is [string, string] => typeof item[1] === "string");
}

function isForeign(field: SingleField, value: unknown): boolean {
  const { options, allow_other } = normalField(field) as SingleField;
  if (typeof value !== "string" || options.some((option) => option.value === value)) return false;
  return value === "" || !allow_other;
}

function accepts(field: Field, value: unknown, rules: FormRules): boolean {
  if (!isProvided(field, value)) return true;
  const pattern = "pattern" in field ? field.pattern : null;
  const matches = (text: string) => !pattern || (rules.matches?.(pattern, text) ?? true);
  const alone = { ...normalField(field), required: false };
  return checkValue(alone, value as Json, { matches, moment: checkMoment }).length === 0;
}

function typeFaults(field: Field, path: string, rules: FormRules): Fault[] {
  switch (field.type) {
    case "text":
    case "textarea":
      return textFieldFaults(field, path, rules);
    case "number":
      return numberFaults(field, path);
    case "select":
    case "radio":
      return choiceFaults(field, path, rules.limits);
    case "multiselect":
      return [...choiceFaults(field, path, rules.limits), ...countFaults(field, path, rules.limits)];
    case "date":
    case "time":
    case "datetime":
      return momentFaults(field, path);
    default:
      return [];
  }
}

function textFieldFaults(field: TextField, path: string, { limits, compiles }: FormRules): Fault[] {
  const texts = textFaults(path, field, {
    pattern: { max: limits.pattern, filled: true, raw: true },
    pattern_message: { max: limits.pattern_message, filled: true },
  });
  const wordless = texts.some((found) => found.path === join(path, "pattern"));
  const reason = field.pattern == null || wordless ? null : compiles(field.pattern);
  const cap = field.type === "textarea" ? limits.textarea_answer : limits.text_answer;
  return [
    ...span(path, field, ["min_length", "max_length"], cap),
    ...texts,
    ...(reason === null ? [] : [fault(join(path, "pattern"), "invalid_pattern", { reason })]),
  ];
}

/** Two counts, the least 0 and the most 1 or more, neither over `cap`, in order. */
function span(path: string, field: object, [low, high]: [string, string], cap: number): Fault[] {
  const { [low]: min, [high]: max } = field as Record<string, number | null | undefined>;
  const faults = [...countFault(join(path, low), min, 0, cap), ...countFault(join(path, high), max, 1, cap)];
  if (min == null || max == null || min <= max || faults.some((found) => found.path === join(path, low)))
    return faults;
  return [...faults, fault(join(path, low), "contradiction")];
}

function countFault(path: string, count: number | null | undefined, min: number, max: number): Fault[] {
  if (count == null) return [];
  if (count < min) return [fault(path, "below_min", { min })];
  return count > max ? [fault(path, "above_max", { max })] : [];
}

function numberFaults(field: NumberField, path: string): Fault[] {
  const { min, max, step } = field;
  const tooLarge = (["min", "max", "step"] as const)
    .filter((key) => Math.abs(field[key] ?? 0) > Number.MAX_SAFE_INTEGER)
    .map((key) => fault(join(path, key), "number_too_large"));
  if (step != null && step <= 0) tooLarge.push(fault(join(path, "step"), "below_min.step"));
  if (min != null && max != null && min > max) tooLarge.push(fault(join(path, "min"), "contradiction"));
  return firsts(tooLarge);
}

function choiceFaults(field: SingleField | MultiField, path: string, limits: Limits): Fault[] {
  const options = field.options ?? [];
  const at = join(path, "options");
  if (options.length === 0) return field.widget === "confirm" ? [] : [fault(at, "option_required")];
  return optionFaults(options, at, limits);
}

function countFaults(field: MultiField, path: string, limits: Limits): Fault[] {
  const faults = span(path, field, ["min_choices", "max_choices"], limits.options);
  const count = field.options.length;
  if (!field.allow_other && count > 0) {
    for (const key of ["min_choices", "max_choices"] as const) {
      if ((field[key] ?? 0) > count) faults.push(fault(join(path, key), "contradiction.choices", { count }));
    }
  }
  return firsts(faults);
}

function momentFaults(field: MomentField, path: string): Fault[] {
  const [min, max] = [bound(field, field.min), bound(field, field.max)];
  const faults = (["min", "max"] as const)
    .filter((key) => field[key] != null && bound(field, field[key]) === null)
    .map((key) => fault(join(path, key), `invalid_${field.type}.bound`));
  if (min !== null && max !== null && min > max) faults.push(fault(join(path, "min"), "contradiction"));
  return faults;
}

function bound(field: MomentField, text: string | null | undefined): bigint | null {
  return text == null ? null : instant(field.type, text);
}

/** One fault a path, the first. */
function firsts(faults: Fault[]): Fault[] {
  return faults.filter((found, index) => faults.findIndex((other) => other.path === found.path) === index);
}
