import { RE2JS } from "re2js";
import { describe, expect, test } from "vitest";
import { checkAnswer } from "../../src/core/answer.ts";
import { checkAsk } from "../../src/core/ask.ts";
import { checkForm } from "../../src/core/form.ts";
import { step } from "../../src/core/lifecycle.ts";
import { loadTexts } from "../../src/core/messages.ts";
import { checkMoment } from "../../src/core/moments.ts";
import { normalForm } from "../../src/core/normal.ts";
import { allFields, type Status, type Values } from "../../src/core/wire.ts";
import { cases, type ExpectedFault, expand, written } from "./cases.ts";

await loadTexts("de");

const compiled = new Map<string, RE2JS>();

const ESCAPE = /\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|\\u([0-9a-f]{4})|\\./gis;

/** The server takes `\uXXXX` as well, pairs of surrogates as one character. */
function spellOut(pattern: string): string {
  return pattern.replace(ESCAPE, (whole, high?: string, low?: string, single?: string) => {
    if (single) return `\\x{${single}}`;
    if (!high || !low) return whole;
    const point = String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16)).codePointAt(0);
    return `\\x{${point?.toString(16)}}`;
  });
}

/** The server's verdict on a pattern, by a port of the engine that it uses. */
function re2(pattern: string): RE2JS {
  const known = compiled.get(pattern) ?? RE2JS.compile(spellOut(pattern));
  compiled.set(pattern, known);
  return known;
}

const matches = (pattern: string, value: string) => re2(pattern).matches(value);

describe("answers", () => {
  interface AnswerCase {
    form: unknown;
    values: unknown;
    answer?: { values: Values; other: Record<string, boolean> };
    faults?: ExpectedFault[];
  }
  test.each(cases<AnswerCase>("answers"))("$id: $shows", ({ form, values, answer, faults }) => {
    const result = checkAnswer(normalForm(expand(form)), expand(values), {
      matches,
      moment: checkMoment,
      strict: true,
    });
    if ("faults" in result) {
      expect(written(result.faults)).toEqual(faults);
    } else {
      expect(result).toEqual(expand(answer));
      expect(JSON.stringify(result.values)).toBe(JSON.stringify(expand(answer?.values)));
    }
  });
});

describe("forms", () => {
  interface FormCase {
    form?: unknown;
    ask?: unknown;
    ok?: boolean;
    options?: Record<string, [string, string][]>;
    faults?: ExpectedFault[];
    re2?: Record<string, string>;
  }
  test.each(cases<FormCase>("forms"))("$id: $shows", ({ form, ask, options, faults, re2: refused = {} }) => {
    const rules = { compiles: (pattern: string) => refused[pattern] ?? null, matches };
    const found = form === undefined ? checkAsk(expand(ask), rules) : checkForm(expand(form), rules);
    expect(written(found)).toEqual(faults ?? []);
    for (const [id, pairs] of Object.entries(options ?? {})) {
      const field = allFields(normalForm(form)).find((item) => item.id === id);
      const given = field && "options" in field ? field.options : [];
      expect(given.map((option) => [option.value, option.label])).toEqual(pairs);
    }
  });
});

describe("lifecycle", () => {
  interface LifecycleCase {
    actions: string[];
    status: Status;
    illegal?: number;
  }
  test.each(cases<LifecycleCase>("lifecycle"))("$id: $shows", ({ actions, status, illegal }) => {
    let at: Status = "pending";
    const stop = actions.findIndex((action) => {
      const to = step(at, action);
      at = to ?? at;
      return to === null;
    });
    expect([at, stop]).toEqual([status, illegal ?? -1]);
  });
});

describe("patterns", () => {
  interface PatternCase {
    pattern: string;
    compiles: boolean;
    js: string | null;
    inputs: [string, boolean][];
  }
  test.each(cases<PatternCase>("patterns"))("$id: $shows", ({ pattern, compiles, js, inputs }) => {
    if (!compiles) {
      expect(() => re2(pattern)).toThrow();
      return;
    }
    for (const [text, verdict] of inputs.map(expand)) {
      expect([text, matches(pattern, text)]).toEqual([text, verdict]);
      if (js !== null) expect([text, new RegExp(js, "u").test(text)]).toEqual([text, verdict]);
    }
  });
});
