/**
 * The check of an answer, with the verdicts, codes and texts of the server's.
 *
 * In the browser it spares the person a round trip and decides nothing: what it cannot decide
 * (a pattern that is not safe to run here, a field with `validate_on_client: false`) it lets pass.
 */

import { fault } from "./fault.ts";
import { checkValue, isProvided, type Matches } from "./field.ts";
import { join, own, shorten } from "./path.ts";
import { browserMatches } from "./patterns.ts";
import type { Answer, Fault, Field, Form, Json } from "./wire.ts";

export interface AnswerRules {
  /** `request.view.patterns`: by field id, JavaScript or null where only the server decides. */
  patterns?: Record<string, string | null> | undefined;
  /** Decides every pattern itself, where that is safe: in tests, or under another engine. */
  matches?: (pattern: string, value: string) => boolean;
  /** Check the fields that are left to the server as well. */
  strict?: boolean;
}

export type Checked = Required<Answer> | { faults: Fault[] };

/** Check `values` against `form`; the cleaned answer, or every fault at once. */
export function checkAnswer(form: Form, values: unknown, rules: AnswerRules = {}): Checked {
  if (typeof values !== "object" || values === null || Array.isArray(values)) {
    return { faults: [fault("values", "wrong_type.answers")] };
  }
  const given = values as Record<string, unknown>;
  if (Object.keys(given).length === 0) return { faults: [fault("values", "empty.values")] };
  const sheet = new Sheet(given, rules);
  for (const { fields, optional } of form.sections ?? [{ fields: form.fields ?? [], optional: false }]) {
    if (optional && fields.every((field) => isUntouched(field, own(given, field.id)))) sheet.skip(fields);
    else sheet.check(fields);
  }
  return sheet.verdict();
}

/** A box that is not ticked does not make a section begun. */
function isUntouched(field: Field, value: unknown): boolean {
  const box = field.type === "boolean" || field.type === "checkbox";
  return !isProvided(field, value) || (box && value === false);
}

class Sheet {
  private readonly seen = new Set<string>();
  private readonly faults: Fault[] = [];
  private readonly clean: [string, Json][] = [];
  private readonly other: [string, true][] = [];

  constructor(
    private readonly given: Record<string, unknown>,
    private readonly rules: AnswerRules,
  ) {}

  skip(fields: Field[]): void {
    for (const field of fields) this.seen.add(field.id);
  }

  check(fields: Field[]): void {
    this.skip(fields);
    for (const field of fields) this.checkOne(field);
  }

  verdict(): Checked {
    for (const key of Object.keys(this.given)) {
      if (!this.seen.has(key)) this.faults.push(fault(join("values", shorten(key)), "unknown_field"));
    }
    if (this.faults.length) return { faults: this.faults };
    return { values: Object.fromEntries(this.clean), other: Object.fromEntries(this.other) };
  }

  private checkOne(field: Field): void {
    const value = own(this.given, field.id);
    const path = join("values", field.id);
    const lenient = field.validate_on_client === false && !this.rules.strict;
    if (!isProvided(field, value)) {
      if (field.required && !lenient) this.faults.push(fault(path, "required_missing"));
      return;
    }
    const { clean, other, faults } = checkValue(field, value, this.matcher(field));
    if (faults.length && !lenient) {
      this.faults.push(
        ...faults.map(([at, key, params]) => fault(at === null ? path : join(path, at), key, params)),
      );
      return;
    }
    this.clean.push([field.id, faults.length ? (value as Json) : clean]);
    if (other) this.other.push([field.id, true]);
  }

  private matcher(field: Field): Matches {
    const { matches, patterns } = this.rules;
    return (value) => {
      const pattern = "pattern" in field ? field.pattern : null;
      if (!pattern) return true;
      return matches ? matches(pattern, value) : browserMatches(own(patterns, field.id), value);
    };
  }
}
