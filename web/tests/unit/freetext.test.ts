import { expect, test } from "vitest";
import { parseReply } from "../../src/core/freetext.ts";
import type { Field, Form } from "../../src/core/generated/wire.ts";

const options = [
  { value: "s", label: "Small" },
  { value: "l", label: "Large" },
  { value: "XL", label: "XL" },
  { value: "xl", label: "xl" },
];
const choice: Field = { id: "size", type: "select", label: "Size", options };
const several: Field = { id: "size", type: "multiselect", label: "Size", options };
const text: Field = { id: "code", type: "text", label: "Code" };
const singleFieldForm = (field: Field): Form => ({ fields: [field] });

test.each([
  ["s", "s"],
  ["Large", "l"],
  ["  small \n", "s"],
  ["XL", "XL"],
  ["xl", "xl"],
])("%j names an option", (said, value) => {
  expect(parseReply(singleFieldForm(choice), said)).toEqual({ values: { size: value } });
  expect(parseReply(singleFieldForm(several), said)).toEqual({ values: { size: [value] } });
});

test.each([
  ["maybe later", "not_an_option"],
  ["small please", "not_an_option"],
  ["", "not_an_option"],
  ["Xl", "ambiguous"],
])("%j names none, or more than one", (said, why) => {
  expect(parseReply(singleFieldForm(choice), said)).toEqual({ why });
});

test("a text is the answer to a single free text that anybody may read", () => {
  expect(parseReply(singleFieldForm(text), " ab ")).toEqual({ values: { code: "ab" } });
  expect(parseReply(singleFieldForm({ ...text, sensitive: true }), "ab")).toEqual({ why: "not_for_text" });
  expect(parseReply(singleFieldForm({ id: "n", type: "number", label: "N" }), "1")).toEqual({
    why: "not_for_text",
  });
  expect(parseReply({ fields: [text, choice] }, "s")).toEqual({ why: "several_fields" });
});
