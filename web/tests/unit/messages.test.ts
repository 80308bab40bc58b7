import { expect, test } from "vitest";
import de from "../../../src/askback/messages/de.json" with { type: "json" };
import en from "../../../src/askback/messages/en.json" with { type: "json" };
import { negotiate, translate } from "../../src/core/messages.ts";

test("both catalogues have the same keys with the same placeholders", () => {
  const shape = (catalogue: Record<string, string>) =>
    Object.entries(catalogue)
      .map(([key, text]) => `${key} ${[...new Set(text.match(/\{\w+\}/g))].sort()}`)
      .sort();
  expect(shape(de)).toEqual(shape(en));
});

test("the first language that there is a catalogue for is taken", () => {
  expect(negotiate(["fr-CH", "de-AT", "en"])).toBe("de");
  expect(negotiate(["constructor", "fr"])).toBe("en");
  expect(negotiate([])).toBe("en");
});

test("a placeholder without a value stays, and a value is not read as a template", () => {
  expect(translate("fault.too_short", {})).toBe("Must be at least {min} characters.");
  expect(translate("fault.too_short", { min: "{max} $&", max: 5 })).toBe(
    "Must be at least {max} $& characters.",
  );
  expect(translate("no.such.key")).toBe("no.such.key");
});

test("with a value of 1 the text for one is taken, where there is one", () => {
  expect(translate("fault.too_short", { min: 1 })).toBe("Must be at least 1 character.");
  expect(translate("fault.too_short", { min: 2 })).toBe("Must be at least 2 characters.");
  expect(translate("fault.below_min", { min: 1 })).toBe("Must be at least 1.");
});
