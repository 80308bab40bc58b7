import { fault } from "../core/fault.ts";
import { type Locale, renderFault } from "../core/messages.ts";
import { join, own } from "../core/path.ts";
import { findFaults, isOptional } from "../core/values.ts";
import {
  allFields,
  type Fault,
  type Field,
  type FieldError,
  type Form,
  type Json,
  type MomentField,
  type Values,
} from "../core/wire.ts";
import { blankOthers, type Draft } from "./draft.ts";

/** What is checked: the values, and what only the inputs know. */
export interface Entered {
  form: Form;
  values: Values;
  draft: Draft;
  patterns: Record<string, string | null> | undefined;
  /** What a field's native input says of itself. */
  validityOf(field: Field): ValidityState | undefined;
}

/**
 * Half a date, or one out of its bounds: the inputs of dates know it of themselves.
 *
 * They do not know which times the clocks of a zone leave out; those have no zone in their value.
 */
function momentFaults(field: Field, value: Json | undefined, validity: ValidityState | undefined): Fault[] {
  const { type, min, max, validate_on_client } = field as MomentField;
  const wrong = (key: string, params = {}): Fault[] => [fault(join("values", field.id), key, params)];
  const variant = type === "time" ? "time" : "date";
  const left = type === "datetime" && typeof value === "string" && !value.endsWith("]");
  if (left || validity?.badInput) return wrong("invalid_date");
  if (validate_on_client === false) return [];
  if (validity?.rangeUnderflow) return wrong(`below_min.${variant}`, { min });
  return validity?.rangeOverflow ? wrong(`above_max.${variant}`, { max }) : [];
}

/** An empty answer names its required fields; it is only called empty if those are left to the server. */
function answerFaults({ form, values, patterns }: Entered): readonly Fault[] {
  const faults = findFaults(form, values, { patterns });
  const empty = faults.length === 0 && Object.keys(values).length === 0 && !isOptional(form);
  return empty ? [fault("values", "empty.values")] : faults;
}

/** Everything that is wrong, as sentences; each field is named once. */
export function check(entered: Entered, locale: Locale): FieldError[] {
  const first = [
    ...blankOthers(entered.form, entered.draft).map((field) =>
      fault(join("values", field.id), "empty.other"),
    ),
    ...allFields(entered.form).flatMap((field) =>
      momentFaults(field, own(entered.values, field.id), entered.validityOf(field)),
    ),
  ];
  const covered = new Set(first.map(({ path }) => path));
  const rest = answerFaults(entered).filter(({ path }) => !covered.has(path));
  return [...first, ...rest].map((wrong) => ({ ...wrong, message: renderFault(wrong, locale) }));
}
