import { checkAnswer } from "../core/answer.ts";
import { fault } from "../core/fault.ts";
import { type Locale, renderFault } from "../core/messages.ts";
import { join } from "../core/path.ts";
import { allFields, type Fault, type Field, type FieldError, type Form, type Values } from "../core/wire.ts";
import { blankOthers, type Draft } from "./draft.ts";

/** What is checked: the values, and what only the inputs know. */
export interface Entered {
  form: Form;
  values: Values;
  draft: Draft;
  patterns: Record<string, string | null> | undefined;
  /** Fields whose native input holds something that it could not read, such as half a date. */
  halfTyped: readonly Field[];
}

/** An empty answer names its required fields, before it is called empty. */
function answerFaults({ form, values, patterns }: Entered): readonly Fault[] {
  const faultsOf = (given: Values): readonly Fault[] => {
    const checked = checkAnswer(form, given, { patterns });
    return "faults" in checked ? checked.faults : [];
  };
  const first = allFields(form).slice(0, 1);
  const named = Object.keys(values).length
    ? []
    : faultsOf(Object.fromEntries(first.map(({ id }) => [id, null])));
  return named.length > 0 ? named : faultsOf(values);
}

/** Everything that is wrong, as sentences; each field is named once. */
export function check(entered: Entered, locale: Locale): FieldError[] {
  const own = [
    ...blankOthers(entered.form, entered.draft).map((field) =>
      fault(join("values", field.id), "empty.other"),
    ),
    ...entered.halfTyped.map((field) => fault(join("values", field.id), "invalid_date")),
  ];
  const covered = new Set(own.map(({ path }) => path));
  const rest = answerFaults(entered).filter(({ path }) => !covered.has(path));
  return [...own, ...rest].map((wrong) => ({ ...wrong, message: renderFault(wrong, locale) }));
}
