import type { Fault } from "../core/fault.ts";
import { fault } from "../core/fault.ts";
import { allFields, type Field, type Form, type MomentField } from "../core/form.ts";
import type { Json, Values } from "../core/json.ts";
import { type Locale, renderFault } from "../core/messages.ts";
import { join, own } from "../core/path.ts";
import { findFaults, isOptional, type Patterns } from "../core/values.ts";
import type { FieldError } from "../core/wire.ts";
import { blankOthers, type Draft } from "./draft.ts";

/** The values to check, and the validity of the native inputs. */
export interface Entered {
  form: Form;
  values: Values;
  draft: Draft;
  patterns: Patterns;
  /** The validity of the native input of a field. */
  validityOf(field: Field): ValidityState | undefined;
}

/**
 * Return the faults of a date, time or date-time: incomplete, or out of bounds, as its native input reports.
 *
 * A native input accepts a local time that a change of the clocks skips; `zoned` leaves such a time without a zone.
 */
function momentFaults(field: Field, value: Json | undefined, validity: ValidityState | undefined): Fault[] {
  const { type, min, max, validate_on_client } = field as MomentField;
  const wrong = (key: string, params = {}): Fault[] => [fault(join("values", field.id), key, params)];
  const variant = type === "time" ? "time" : "date";
  const skipped = type === "datetime" && typeof value === "string" && !value.endsWith("]");
  if (skipped || validity?.badInput) return wrong("invalid_date");
  if (validate_on_client === false) return [];
  if (validity?.rangeUnderflow) return wrong(`below_min.${variant}`, { min });
  return validity?.rangeOverflow ? wrong(`above_max.${variant}`, { max }) : [];
}

/** Return one fault for an empty answer, unless its required fields are named already. */
function answerFaults({ form, values, patterns }: Entered): readonly Fault[] {
  const faults = findFaults(form, values, patterns);
  const empty = faults.length === 0 && Object.keys(values).length === 0 && !isOptional(form);
  return empty ? [fault("values", "empty.values")] : faults;
}

/** Check the values of a form; return every fault as a sentence, at most one group of faults for each field. */
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
  return [...first, ...rest].map((wrong) => ({ path: wrong.path, message: renderFault(wrong, locale) }));
}
