import { allFields, type MomentField } from "../../core/form.ts";
import type { Field } from "../../core/generated/wire.ts";
import { type Fault, fault } from "../../core/messages.ts";
import { valuePath } from "../../core/path.ts";
import { findValueFaults, isOptional } from "../../core/values.ts";
import { blankFaults, type CheckInput, unreadableFault } from "../check.ts";
import { onDemand } from "../ondemand.ts";

/** Return the faults of a date, time or date-time: incomplete, or out of bounds, as its native input reports. */
function momentFaults(field: Field, input: CheckInput): Fault[] {
  const unreadable = unreadableFault(field, input);
  const { type, min, max, validate_on_client } = field as MomentField;
  if (unreadable.length > 0 || validate_on_client === false) return unreadable;
  const faultsOf = (key: string, params: Fault["params"]) => [fault(valuePath(field.id), key, params)];
  const variant = type === "time" ? "time" : "date";
  const validity = input.validityOf(field);
  if (validity?.rangeUnderflow) return faultsOf(`below_min.${variant}`, { min });
  return validity?.rangeOverflow ? faultsOf(`above_max.${variant}`, { max }) : [];
}

/** Return one fault for an empty answer, unless its required fields are named already. */
function answerFaults({ form, values, patterns }: CheckInput): readonly Fault[] {
  const faults = findValueFaults(form, values, patterns);
  const empty = faults.length === 0 && Object.keys(values).length === 0 && !isOptional(form);
  return empty ? [fault("values", "empty.values")] : faults;
}

/** Return every fault of the values of a form, at most one group of faults for each field. */
export function findFaults(input: CheckInput): Fault[] {
  const first = [
    ...blankFaults(input),
    ...allFields(input.form).flatMap((field) => momentFaults(field, input)),
  ];
  const covered = new Set(first.map(({ path }) => path));
  return [...first, ...answerFaults(input).filter(({ path }) => !covered.has(path))];
}

/** Return a number without the signs that separate thousands, if the decimal sign is another: "1.234,5", "1,234.5". */
export function ungroup(text: string): string {
  const [, sign] = /^\s*[+-]?[1-9]\d{0,2}([.,])\d{3}(\1\d{3})*(?!\1)[.,]\d+\s*$/.exec(text) ?? [];
  return sign ? text.replaceAll(sign, "") : text;
}

Object.assign(onDemand, { findFaults, findValueFaults, ungroup });

export { findValueFaults };
