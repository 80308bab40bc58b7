import fc from "fast-check";
import { expect, test } from "vitest";
import { checkAnswer } from "../../src/core/answer.ts";
import { checkAsk } from "../../src/core/ask.ts";
import { checkForm } from "../../src/core/form.ts";
import { loadTexts, renderFault, toFieldErrors } from "../../src/core/messages.ts";
import { checkMoment } from "../../src/core/moments.ts";
import { findFaults } from "../../src/core/values.ts";
import { allFields, type Field, type Form, type Values } from "../../src/core/wire.ts";

await loadTexts("de");

const options = [
  { value: "a", label: "A" },
  { value: "b", label: "B" },
];

const FORM: Form = {
  sections: [
    {
      id: "s1",
      fields: [
        { id: "text", type: "text", label: "T", min_length: 2, max_length: 5, pattern: "[a-z]+" },
        { id: "notes", type: "textarea", label: "N" },
        { id: "count", type: "number", label: "C", min: 1, max: 9, step: 2 },
        { id: "sure", type: "boolean", label: "S", required: true },
        { id: "one", type: "select", label: "O", options, allow_other: true },
        {
          id: "many",
          type: "multiselect",
          label: "M",
          options,
          min_choices: 1,
          max_choices: 2,
          allow_other: true,
        },
      ],
    },
    {
      id: "s2",
      optional: true,
      fields: [
        { id: "day", type: "date", label: "D", min: "2026-01-01", required: true },
        { id: "hour", type: "time", label: "H", max: "17:00" },
        { id: "when", type: "datetime", label: "W" },
        { id: "__proto__", type: "radio", label: "P", options },
      ],
    },
  ],
};

function oneField(field: Partial<Field>): Form {
  return { fields: [{ id: "code", type: "text", label: "Code", ...field } as Field] };
}

function codes(form: Form, values: Values, patterns?: Record<string, string | null>): string[] {
  const result = checkAnswer(form, values, { patterns });
  return "faults" in result ? result.faults.map((fault) => fault.code) : [];
}

test("a field that opted out of checks in the browser is left to the server", () => {
  const form = oneField({ required: true, min_length: 5, validate_on_client: false } as Partial<Field>);
  expect(codes(form, { code: "abc" })).toEqual([]);
  expect(codes(form, { code: "" })).toEqual([]);
  expect(checkAnswer(form, { code: "abc" })).toEqual({ values: { code: "abc" }, other: {} });
  expect("faults" in checkAnswer(form, { code: "abc" }, { moment: checkMoment, strict: true })).toBe(true);
});

test("a pattern runs in the browser only as the server rewrote it", () => {
  const form = oneField({ pattern: "^(a+)+$" } as Partial<Field>);
  expect(codes(form, { code: "b" }, { code: "^(?:a+)$" })).toEqual(["pattern_mismatch"]);
  expect(codes(form, { code: "aa" }, { code: "^(?:a+)$" })).toEqual([]);
});

test("a pattern that is not safe in the browser, or that this browser does not know, is left to the server", () => {
  const form = oneField({ pattern: "^(a+)+$" } as Partial<Field>);
  expect(codes(form, { code: "b" }, { code: null })).toEqual([]);
  expect(codes(form, { code: "b" }, {})).toEqual([]);
  expect(codes(form, { code: "b" })).toEqual([]);
  expect(codes(form, { code: "b" }, { code: "(?<=" })).toEqual([]);
});

test("a field's pattern is found by its id and not on the prototype", () => {
  const form: Form = { fields: [{ id: "constructor", type: "text", label: "C", pattern: "x" }] };
  expect(codes(form, { constructor: "y" } as unknown as Values, {})).toEqual([]);
});

test("the text of a broken pattern is the field's own, as plain text", () => {
  const form = oneField({ pattern: "x", pattern_message: "Like {min} {message}." } as Partial<Field>);
  const result = checkAnswer(form, { code: "y" }, { patterns: { code: "^(?:x)$" } });
  expect("faults" in result && toFieldErrors(result.faults, "de")).toEqual([
    { path: "values.code", code: "pattern_mismatch", message: "Like {min} {message}." },
  ]);
});

const ids = [...allFields(FORM).map((field) => field.id), "constructor", "x y"];
const plausible = fc.constantFrom(
  "a",
  "b",
  "ab",
  "2026-02-30",
  "2027-01-01",
  "16:30",
  "2026-11-20T09:00Z",
  true,
  3,
  "",
);
const anyValues = fc
  .array(fc.tuple(fc.constantFrom(...ids), fc.oneof(plausible, fc.array(plausible), fc.jsonValue())))
  .map((pairs) => Object.fromEntries(pairs));

test("whatever is sent, there is a verdict, and a cleaned answer is clean", () => {
  fc.assert(
    fc.property(fc.oneof(anyValues, fc.jsonValue()), (values) => {
      const result = checkAnswer(FORM, values, { moment: checkMoment, strict: true });
      if ("faults" in result) {
        expect(result.faults.length).toBeGreaterThan(0);
        for (const fault of result.faults) expect(renderFault(fault, "de")).not.toMatch(/^fault\.|\{/);
      } else if (Object.keys(result.values).length) {
        expect(checkAnswer(FORM, result.values, { moment: checkMoment, strict: true })).toEqual(result);
      }
    }),
  );
});

const ownText = fc.oneof(fc.constantFrom("", " ", "c", "\u0007", "c".repeat(10_001)), fc.string());
const entered = fc.record(
  {
    text: ownText,
    notes: ownText,
    count: fc.oneof(fc.integer({ min: -3, max: 12 }), fc.double({ noNaN: true }), fc.constant("x")),
    sure: fc.boolean(),
    one: fc.oneof(fc.constantFrom("a", "b"), ownText),
    many: fc
      .tuple(fc.subarray(["a", "b"]), fc.array(ownText, { maxLength: 1 }))
      .map(([chosen, typed]) => [...chosen, ...typed.filter((text) => !chosen.includes(text))]),
    day: fc.constant("2026-11-20"),
  },
  { requiredKeys: [] },
);

test("what a page finds in what its controls made is what the whole check finds", () => {
  fc.assert(
    fc.property(entered, (values) => {
      fc.pre(Object.keys(values).length > 0);
      const result = checkAnswer(FORM, values);
      expect(findFaults(FORM, values, {})).toEqual("faults" in result ? result.faults : []);
    }),
  );
});

const anyForm = fc.record(
  {
    title: fc.oneof(fc.string(), fc.jsonValue()),
    fields: fc.array(
      fc.oneof(
        fc.jsonValue(),
        fc.record(
          {
            id: fc.oneof(fc.string(), fc.jsonValue()),
            type: fc.oneof(
              fc.constantFrom("text", "number", "select", "multiselect", "date"),
              fc.jsonValue(),
            ),
            label: fc.oneof(fc.string(), fc.jsonValue()),
            options: fc.oneof(fc.array(fc.oneof(fc.string(), fc.jsonValue())), fc.jsonValue()),
            min: fc.jsonValue(),
            default: fc.jsonValue(),
          },
          { requiredKeys: [] },
        ),
      ),
    ),
    initial_values: fc.jsonValue(),
    completed_view: fc.jsonValue(),
  },
  { requiredKeys: [] },
);

test("whatever an agent sends, every fault has a path and a sentence", () => {
  fc.assert(
    fc.property(fc.oneof(anyForm, fc.jsonValue()), (form) => {
      for (const fault of [...checkForm(form), ...checkAsk({ kind: "form", thread_id: "t1", form })]) {
        expect(fault.path).toMatch(/^form/);
        expect(renderFault(fault)).not.toMatch(/^fault\./);
      }
    }),
  );
});
