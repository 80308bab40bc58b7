import { allFields, isZoned, type Values } from "../core/form.ts";
import type { Field, FieldError, Form } from "../core/generated/wire.ts";
import { type Fault, fault, type Locale, renderFault } from "../core/messages.ts";
import { ownValue, valuePath } from "../core/path.ts";
import type { Patterns } from "../core/values.ts";
import { blankOthers, type Draft } from "./entries.ts";
import { texts } from "./localtexts.ts";
import { onDemand } from "./ondemand.ts";

/** The values to check, and the validity of the native inputs. */
export interface CheckInput {
  form: Form;
  values: Values;
  draft: Draft;
  patterns: Patterns;
  /** The validity of the native input of a field. */
  validityOf(field: Field): ValidityState | undefined;
}

/** Return the faults of the fields where "Other" is chosen and nothing is written. */
export const blankFaults = ({ form, draft }: CheckInput): Fault[] =>
  blankOthers(form, draft).map((field) => fault(valuePath(field.id), "empty.other"));

/**
 * Return the fault of a date, time or date-time of which no value can be made: the server would take it as empty.
 *
 * A native input accepts a local time that a change of the clocks skips; `withZone` leaves such a time without a zone.
 */
export function unreadableFault(field: Field, { values, validityOf }: CheckInput): Fault[] {
  const value = ownValue(values, field.id);
  const isSkipped = isZoned(field) && typeof value === "string" && !value.endsWith("]");
  return isSkipped || validityOf(field)?.badInput ? [fault(valuePath(field.id), "invalid_date")] : [];
}

/** Return the faults that the server cannot see. */
const entryFaults = (input: CheckInput): Fault[] => [
  ...blankFaults(input),
  ...allFields(input.form).flatMap((field) => unreadableFault(field, input)),
];

/**
 * Check the values of a form; return every fault as a sentence, at most one group of faults for each field.
 *
 * A sentence is made when it is read, in the language that `reader` has then.
 */
export const findErrors = (input: CheckInput, reader: { readonly locale: Locale }): FieldError[] =>
  (onDemand.findFaults ?? entryFaults)(input).map((fault) => ({
    path: fault.path,
    get message() {
      return texts.ownMessage?.(input.form, fault) ?? renderFault(fault, reader.locale);
    },
  }));
