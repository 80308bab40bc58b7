/**
 * The check of an answer, with the verdicts, codes and texts of the server's.
 *
 * In the browser it spares the person a round trip and decides nothing: what it cannot decide
 * (a pattern that is not safe to run here, a field with `validate_on_client: false`) it lets pass.
 * Dates that come from native inputs are real ones, and those inputs know their bounds.
 */

import { fault } from "./fault.ts";
import { checkValue, isProvided, type MomentCheck } from "./field.ts";
import { join, own, shorten } from "./path.ts";
import { browserMatches } from "./patterns.ts";
import { type Answer, allFields, type Fault, type Field, type Form, type Json } from "./wire.ts";

export interface AnswerRules {
  /** `request.view.patterns`: by field id, JavaScript or null where only the server decides. */
  patterns?: Record<string, string | null> | undefined;
  /** Decides every pattern itself, where that is safe: in tests, or under another engine. */
  matches?: (pattern: string, value: string) => boolean;
  /** Reads dates, which are not checked without it. */
  moment?: MomentCheck;
  /** Check the fields that are left to the server as well. */
  strict?: boolean;
}

export type Checked = Required<Pick<Answer, "values" | "other">> | { faults: Fault[] };

/** Check `values` against `form`; the cleaned answer, or every fault at once. */
export function checkAnswer(form: Form, values: unknown, rules: AnswerRules = {}): Checked {
  if (typeof values !== "object" || values === null || Array.isArray(values)) {
    return { faults: [fault("values", "wrong_type.answers")] };
  }
  const given = values as Record<string, unknown>;
  if (Object.keys(given).length === 0) return { faults: [fault("values", "empty.values")] };
  const verdicts = checkFields(form, given, rules);
  const known = new Set(allFields(form).map((field) => field.id));
  const strange = Object.keys(given).filter((key) => !known.has(key));
  const faults = [
    ...verdicts.flatMap((verdict) => verdict.faults),
    ...strange.map((key) => fault(join("values", shorten(key)), "unknown_field")),
  ];
  if (faults.length) return { faults };
  return {
    values: Object.fromEntries(
      verdicts.flatMap(({ id, clean }) => (clean === undefined ? [] : [[id, clean]])),
    ),
    other: Object.fromEntries(verdicts.flatMap(({ id, other }) => (other ? [[id, true]] : []))),
  };
}

/** Check each field, but for those of optional sections that nobody has begun. */
export function checkFields(form: Form, given: Record<string, unknown>, rules: AnswerRules): Verdict[] {
  const sections = form.sections ?? [{ fields: form.fields ?? [], optional: false }];
  return sections.flatMap(({ fields, optional }) =>
    optional && fields.every((field) => isUntouched(field, own(given, field.id)))
      ? []
      : fields.map((field) => checkField(field, own(given, field.id), rules)),
  );
}

/** A box that is not ticked does not make a section begun. */
function isUntouched(field: Field, value: unknown): boolean {
  const box = field.type === "boolean" || field.type === "checkbox";
  return !isProvided(field, value) || (box && value === false);
}

interface Verdict {
  id: string;
  clean?: Json;
  other?: boolean;
  faults: Fault[];
}

function checkField(field: Field, value: unknown, rules: AnswerRules): Verdict {
  const { patterns, matches, moment, strict } = rules;
  const { id } = field;
  const path = join("values", id);
  const lenient = field.validate_on_client === false && !strict;
  if (!isProvided(field, value))
    return { id, faults: field.required && !lenient ? [fault(path, "required_missing")] : [] };
  const pattern = "pattern" in field ? field.pattern : null;
  const fits = (text: string): boolean =>
    !pattern || (matches ? matches(pattern, text) : browserMatches(own(patterns, id), text));
  const { clean, other, faults } = checkValue(field, value, { matches: fits, moment });
  if (lenient && faults.length) return { id, clean: value as Json, other, faults: [] };
  return {
    id,
    clean,
    other,
    faults: faults.map(([at, key, params]) => fault(at === null ? path : join(path, at), key, params)),
  };
}
