import { describe, expect, test } from "vitest";
import type { Values } from "../../src/core/form.ts";
import type { Preview, ReasonCode, Status } from "../../src/core/generated/wire.ts";
import { INITIAL, isOpen, mayDecline, reduce, type View } from "../../src/core/machine.ts";
import { loadTexts } from "../../src/core/messages.ts";
import { choose, type LocalText } from "../../src/core/texts.ts";
import { browserMatches } from "../../src/core/values.ts";
import { numberOf } from "../../src/elements/entries.ts";
import { headlineOf } from "../../src/elements/headline.ts";
import { cases, type ExpectedFault, expand } from "./cases.ts";
import { fillIn, normalForm, type Sentence, withoutReadonly, withoutUnticked } from "./page.ts";

await loadTexts("de");

interface AnswerCase {
  form: unknown;
  values: Values;
  skipped?: string[];
  control?: string;
  patterns?: Record<string, string | null>;
  answer?: { values: Values };
  faults?: ExpectedFault[];
  /** What the page does, where that differs from the server: see `vectors/README.md`. */
  page?: "server" | { sends: Values } | { faults: Sentence[] };
}

const sentences = (faults: ExpectedFault[]): Sentence[] =>
  faults.map(({ path, en, de }) => ({ path, en, de }));

/** The values that the page must send, or the faults that it must show instead. */
function expectedOutcome({ values, answer, faults, page }: AnswerCase): {
  sends?: Values;
  faults: Sentence[];
} {
  if (page === "server") return { sends: values, faults: [] };
  if (page) return { faults: [], ...page };
  return answer ? { sends: answer.values, faults: [] } : { faults: sentences(faults ?? []) };
}

describe("answers", () => {
  test.each(cases<AnswerCase>("answers"))("$id: $shows", (vector) => {
    const form = normalForm(expand(vector.form));
    const { sent, faults } = fillIn(
      form,
      expand(vector.values),
      vector.patterns,
      vector.skipped,
      vector.control,
    );
    const { sends, faults: expectedFaults } = expand(expectedOutcome(vector));
    expect(faults).toEqual(expectedFaults);
    if (sends)
      expect(withoutUnticked(form, sent)).toEqual(withoutUnticked(form, withoutReadonly(form, sends)));
    // The page never refuses what the server accepts.
    if (vector.answer) expect(faults).toEqual([]);
  });
});

describe("headlines of calls", () => {
  test.each(cases<{ en: string; de: string; headline: ReasonCode }>("calls"))(
    "$id: $shows",
    ({ en, de, headline }) => {
      const preview: Preview = { type: "table", headline: en, headline_code: headline };
      expect(headlineOf(preview)).toBe(en);
      expect(headlineOf(preview, "de")).toBe(de);
      expect(headlineOf({ ...preview, headline_code: { code: "of_a_newer_server" } }, "de")).toBe(en);
    },
  );
});

describe("lifecycle", () => {
  interface LifecycleCase {
    actions: string[];
    status: Status;
    illegal?: number;
  }
  const vectors = cases<LifecycleCase>("lifecycle");
  const statusAfter = new Map(vectors.map(({ actions, status }) => [actions.join(" "), status]));
  const offers: Record<string, (view: View) => boolean> = {
    answer: isOpen,
    submit: isOpen,
    decline: mayDecline,
  };
  const attempts = vectors.flatMap(({ id, shows, actions, illegal }) => {
    const action = actions.at(-1) ?? "";
    const status = statusAfter.get(actions.slice(0, -1).join(" "));
    const isLast = illegal === undefined || illegal === actions.length - 1;
    return status && isLast && action in offers
      ? [{ id, shows, action, status, legal: illegal === undefined }]
      : [];
  });

  test("every action of a person is among the vectors, both where it is legal and where it is not", () => {
    const kinds = new Set(attempts.map(({ action, legal }) => `${action} ${legal}`));
    expect([...kinds].sort()).toEqual(
      Object.keys(offers)
        .flatMap((name) => [`${name} false`, `${name} true`])
        .sort(),
    );
  });

  test.each(attempts)("the page offers what is legal, and nothing else: $id", ({ action, status, legal }) => {
    const request = { id: "req_1", kind: "form", thread_id: "t1", created_at: "", status, revision: 1 };
    expect(offers[action]?.(reduce(INITIAL, { type: "request", request }))).toBe(legal);
  });
});

describe("texts", () => {
  interface TextCase {
    text: LocalText;
    languages: string[];
    chosen: string;
  }
  test.each(cases<TextCase>("texts"))("$id: $shows", ({ text, languages, chosen }) => {
    expect(choose(text, languages)).toBe(chosen);
  });
});

describe("numbers", () => {
  interface NumberCase {
    text: string;
    language: string;
    number: number | null;
  }
  test.each(cases<NumberCase>("numbers"))("$id: $shows", ({ text, language, number }) => {
    expect(numberOf(text, language)).toBe(number ?? text);
  });
});

describe("patterns", () => {
  interface PatternCase {
    compiles: boolean;
    js: string | null;
    inputs: [string, boolean][];
  }
  const compilablePatterns = cases<PatternCase>("patterns").filter(({ compiles }) => compiles);
  test.each(compilablePatterns)("$id: $shows", ({ js, inputs }) => {
    for (const [text, matches] of inputs.map(expand))
      expect([text, browserMatches(js, text)]).toEqual([text, js === null || matches]);
  });
});
