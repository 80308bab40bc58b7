import { describe, expect, it } from "vitest";
import type { Field, Form } from "../../src/core/generated/wire.ts";
import {
  blankOthers,
  collectValues,
  type Draft,
  oneClick,
  progress,
  startDraft,
} from "../../src/elements/entries.ts";
import "../../src/elements/rules/faults.ts";
import { dangerousChoices } from "../../src/elements/shape/danger.ts";

const choice = (id: string, more: Partial<Field> = {}): Field =>
  ({
    id,
    type: "select",
    label: id,
    options: [
      { value: "a", label: "A" },
      { value: "b", label: "B", style: "danger" },
    ],
    ...more,
  }) as Field;
const text = (id: string, more: Partial<Field> = {}): Field =>
  ({ id, type: "text", label: id, ...more }) as Field;

function enter(form: Form, patches: Record<string, object>): Draft {
  const draft = new Map(startDraft(form, "en"));
  for (const [id, patch] of Object.entries(patches)) {
    const entry = draft.get(id);
    if (entry) draft.set(id, { ...entry, ...patch });
  }
  return draft;
}

describe("start", () => {
  it("prefers initial values to defaults, and takes false and 0 for values (requirement: F12)", () => {
    const form: Form = {
      fields: [
        { id: "n", type: "number", label: "n", default: 5 },
        { id: "b", type: "boolean", label: "b", default: true },
        text("t", { default: "kept" }),
      ],
      initial_values: { n: 0, b: false },
    };
    expect(collectValues(form, startDraft(form, "en"), "en")).toEqual({ n: 0, b: false, t: "kept" });
  });

  it("shows every value that the server accepts in a way that can be sent again", () => {
    const form: Form = {
      fields: [
        { id: "n", type: "number", label: "n", default: 1.5e-7 },
        { id: "m", type: "textarea", label: "m", default: "a\r\nb", max_length: 3 },
        choice("c", { allow_other: true } as Partial<Field>),
      ],
      initial_values: { c: "" },
    };
    for (const locale of ["en", "de"]) {
      const draft = startDraft(form, locale);
      expect(blankOthers(form, draft)).toEqual([]);
      expect(collectValues(form, draft, locale)).toEqual({ n: 1.5e-7, m: "a\nb" });
    }
  });

  it("keeps what was typed when the form changes, and starts what is new", () => {
    const draftBefore = enter({ fields: [text("t")] }, { t: { text: "typed" } });
    const form: Form = { fields: [text("t", { default: "x" }), text("u", { default: "y" })] };
    expect(collectValues(form, startDraft(form, "en", draftBefore), "en")).toEqual({ t: "typed", u: "y" });
  });

  it("shows an initial value that is no option as Other where that is allowed", () => {
    const form: Form = {
      fields: [choice("c", { allow_other: true } as Partial<Field>)],
      initial_values: { c: "z" },
    };
    expect(startDraft(form, "en").get("c")).toMatchObject({ other: true, text: "z", chosen: [] });
  });
});

describe("collect", () => {
  it("leaves out what is empty, and keeps names that objects have by themselves", () => {
    const form: Form = { fields: [text("__proto__"), text("constructor"), text("empty"), choice("none")] };
    const draft = enter(form, { constructor: { text: "x" }, empty: { text: "  " } });
    const extendedDraft = new Map(draft).set("__proto__", {
      text: "y",
      chosen: [],
      other: false,
      on: false,
    });
    expect(Object.entries(collectValues(form, extendedDraft, "en"))).toEqual([
      ["__proto__", "y"],
      ["constructor", "x"],
    ]);
  });

  it("leaves a box out of an optional section that is otherwise empty", () => {
    const fields: Field[] = [text("t"), { id: "b", type: "boolean", label: "b" }];
    const form: Form = { sections: [{ id: "s", optional: true, fields }] };
    expect(collectValues(form, startDraft(form, "en"), "en")).toEqual({});
    expect(collectValues(form, enter(form, { t: { text: "x" } }), "en")).toEqual({ t: "x", b: false });
  });
});

describe("what Submit waits for", () => {
  it("counts the required choices, and waits for none where all are optional", () => {
    const form: Form = {
      fields: [choice("x", { required: true }), choice("y", { required: true }), choice("z")],
    };
    expect(progress(form, enter(form, { x: { chosen: ["a"] } }))).toEqual({ done: 1, total: 2 });
    expect(progress({ fields: [choice("z")] }, startDraft(form, "en"))).toEqual({ done: 0, total: 0 });
  });

  it("does not count an Other without words", () => {
    const form: Form = { fields: [choice("x", { required: true })] };
    const draft = enter(form, { x: { other: true, text: " " } });
    expect(progress(form, draft)).toEqual({ done: 0, total: 1 });
    expect(blankOthers(form, draft).map((field) => field.id)).toEqual(["x"]);
  });
});

describe("options", () => {
  it("finds the dangerous ones that are chosen", () => {
    const form: Form = { fields: [choice("x"), choice("y")] };
    expect(dangerousChoices(form, enter(form, { x: { chosen: ["a"] }, y: { chosen: ["b"] } }))).toEqual([
      "B",
    ]);
  });

  it("answers with one click only where the buttons are the whole form", () => {
    const buttons = choice("x", { widget: "buttons" } as Partial<Field>);
    expect(oneClick({ fields: [buttons] })).toBe(buttons);
    expect(oneClick({ fields: [buttons, text("t")] })).toBeUndefined();
    expect(oneClick({ fields: [choice("x")] })).toBeUndefined();
  });
});
