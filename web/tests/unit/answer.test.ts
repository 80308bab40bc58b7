import fc from "fast-check";
import { expect, test } from "vitest";
import { allFields } from "../../src/core/form.ts";
import type { Field, Form } from "../../src/core/generated/wire.ts";
import { loadTexts } from "../../src/core/messages.ts";
import type { Draft, Entry } from "../../src/elements/entries.ts";
import { fillIn, limitToNative, press } from "./page.ts";

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

const oneField = (field: object): Form => ({
  fields: [{ id: "code", type: "text", label: "Code", ...field } as Field],
});

const refusedPaths = (form: Form, code: string, patterns?: Record<string, string | null>): string[] =>
  fillIn(form, { code }, patterns).faults.map(({ en }) => en);

test("a field that opted out of checks in the browser is left to the server", () => {
  const form = oneField({ required: true, min_length: 5, validate_on_client: false });
  expect(fillIn(form, { code: "abc" })).toEqual({ sent: { code: "abc" }, faults: [] });
  expect(refusedPaths(form, "")).toEqual(["The answer is empty. Fill in at least one field."]);
});

test("a pattern runs in the browser only as the server rewrote it", () => {
  const form = oneField({ pattern: "^(a+)+$" });
  expect(refusedPaths(form, "b", { code: "^(?:a+)$" })).toEqual(["Invalid format."]);
  expect(refusedPaths(form, "aa", { code: "^(?:a+)$" })).toEqual([]);
});

test("a pattern that is not safe in the browser, or that this browser does not know, is left to the server", () => {
  const form = oneField({ pattern: "^(a+)+$" });
  for (const patterns of [{ code: null }, {}, undefined, { code: "(?<=" }])
    expect(refusedPaths(form, "b", patterns)).toEqual([]);
});

test("a field's pattern is found by its id and not on the prototype", () => {
  const form: Form = { fields: [{ id: "constructor", type: "text", label: "C", pattern: "x" }] };
  expect(fillIn(form, { constructor: "y" }, {}).faults).toEqual([]);
});

test("the text of a broken pattern is the field's own, as plain text", () => {
  const message = "Like {min} {message}.";
  const form = oneField({ pattern: "x", pattern_message: message });
  expect(fillIn(form, { code: "y" }, { code: "^(?:x)$" }).faults).toEqual([
    { path: "values.code", en: message, de: message },
  ]);
});

const text = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "c",
    "\u0007",
    "3",
    "1e-7",
    "2026-02-30",
    "2027-01-01",
    "16:30",
    "c".repeat(10_001),
  ),
  fc.string(),
);
const anyEntry = (field: Field): fc.Arbitrary<Entry> =>
  fc.record({
    text,
    chosen: fc.subarray(["a", "b"]),
    other: "allow_other" in field && field.allow_other ? fc.boolean() : fc.constant(false),
    on: fc.boolean(),
  });
/** What the controls of the form can hold. */
const anyDraft: fc.Arbitrary<Draft> = fc
  .tuple(...allFields(FORM).map((field) => fc.tuple(fc.constant(field.id), anyEntry(field))))
  .map((entries) => limitToNative(FORM, new Map(entries)));

test("every draft is sent or refused, and each refusal names a field in words", () => {
  const ids = allFields(FORM).map(({ id }) => id);
  fc.assert(
    fc.property(anyDraft, (draft) => {
      for (const { path, en, de } of press(FORM, draft).faults) {
        expect(ids).toContain(path.replace(/^values\.|\[\d+\]$/g, ""));
        for (const sentence of [en, de]) expect(sentence).not.toMatch(/^fault\.|\{/);
      }
    }),
  );
});

test("what the page has sent it accepts again when the form comes back", () => {
  fc.assert(
    fc.property(anyDraft, (draft) => {
      const { sent, faults } = press(FORM, draft);
      if (faults.length === 0) expect(fillIn(FORM, sent)).toEqual({ sent, faults: [] });
    }),
  );
});
