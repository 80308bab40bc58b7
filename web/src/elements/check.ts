import { checkAnswer } from "../core/answer.ts";
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

const faultAt = (field: Field, key: string): Fault => ({
  path: join("values", field.id),
  code: key.split(".", 1)[0] ?? key,
  key,
  params: {},
});

/** An empty answer names its required fields, before it is called empty. */
function answerFaults({ form, values, patterns }: Entered): readonly Fault[] {
  const faultsOf = (given: Values): readonly Fault[] => {
    const checked = checkAnswer(form, given, { patterns });
    return "faults" in checked ? checked.faults : [];
  };
  const first = allFields(form)[0];
  const named = Object.keys(values).length || !first ? [] : faultsOf(Object.fromEntries([[first.id, null]]));
  return named.length > 0 ? named : faultsOf(values);
}

/** Everything that is wrong, as sentences; each field is named once. */
export function check(entered: Entered, locale: Locale): FieldError[] {
  const own = [
    ...blankOthers(entered.form, entered.draft).map((field) => faultAt(field, "empty.other")),
    ...entered.halfTyped.map((field) => faultAt(field, "invalid_date")),
  ];
  const covered = new Set(own.map((fault) => fault.path));
  const rest = answerFaults(entered).filter((fault) => !covered.has(fault.path));
  return [...own, ...rest].map((fault) => ({ ...fault, message: renderFault(fault, locale) }));
}
