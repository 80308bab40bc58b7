/**
 * The check of an answer, with the verdicts, codes and texts of the server's.
 *
 * In the browser a check spares the person a round trip and decides nothing: what it cannot decide
 * (a pattern that is not safe to run here, a field with `validate_on_client: false`) it lets pass.
 */

import { fault } from "./fault.ts";
import { checkValue, isTyped, type MomentCheck, tidy } from "./field.ts";
import { join, own, shorten } from "./path.ts";
import { begun, findFaults, isOptional, isProvided, type Rules } from "./values.ts";
import { type Answer, allFields, type Fault, type Form, type Json } from "./wire.ts";

export interface AnswerRules extends Omit<Rules, "check"> {
  /** Decides every pattern itself, where that is safe: in tests, or under another engine. */
  matches?: (pattern: string, value: string) => boolean;
  /** Reads dates, which are not checked without it. */
  moment?: MomentCheck;
}

export type Checked = Required<Pick<Answer, "values" | "other">> | { faults: Fault[] };

/** Check `values` against `form`; the cleaned answer, or every fault at once. */
export function checkAnswer(form: Form, values: unknown, rules: AnswerRules = {}): Checked {
  if (typeof values !== "object" || values === null || Array.isArray(values)) {
    return { faults: [fault("values", "wrong_type.answers")] };
  }
  const given = values as Record<string, Json>;
  if (Object.keys(given).length === 0 && !isOptional(form)) {
    return { faults: [fault("values", "empty.values")] };
  }
  const { moment, matches, ...others } = rules;
  const faults = findFaults(form, given, {
    ...others,
    check: (field, value, fits) => {
      const pattern = "pattern" in field && field.pattern;
      const decides = pattern && matches ? (text: string) => matches(pattern, text) : fits;
      return checkValue(field, value, { matches: decides, moment });
    },
  });
  const known = new Set(allFields(form).map((field) => field.id));
  const strange = Object.keys(given).filter((key) => !known.has(key));
  faults.push(...strange.map((key) => fault(join("values", shorten(key)), "unknown_field")));
  return faults.length ? { faults } : clean(form, given);
}

/** What is kept of an answer without faults. */
function clean(form: Form, given: Record<string, Json>): Checked {
  const provided = begun(form, given).flatMap((field) => {
    const value = own(given, field.id);
    return value !== undefined && isProvided(field, value) ? [{ field, value }] : [];
  });
  return {
    values: Object.fromEntries(provided.map(({ field, value }) => [field.id, tidy(field, value)])),
    other: Object.fromEntries(
      provided.filter(({ field, value }) => isTyped(field, value)).map(({ field }) => [field.id, true]),
    ),
  };
}
