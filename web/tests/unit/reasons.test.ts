import { expect, test } from "vitest";
import de from "../../../src/askback/messages/de.json" with { type: "json" };
import en from "../../../src/askback/messages/en.json" with { type: "json" };
import { loadTexts } from "../../src/core/messages.ts";
import { sentences } from "../../src/elements/approval/reasons.ts";

const placeholders = (text: string): string[] =>
  [...text.matchAll(/\{(\w+)\}/g)].map((found) => found[1] ?? "");

test("every reason of the policy reads whole in German, and no English is left", async () => {
  await loadTexts("de");
  const texts = Object.entries(en).filter(([key]) => key.startsWith("reason."));
  const codes = texts.map(([key, text]) => ({
    code: key.slice("reason.".length),
    params: Object.fromEntries(placeholders(text).map((name) => [name, `<${name}>`])),
  }));
  const english = texts.map(([, text]) => text);
  const germanTexts = sentences(english, codes, "de");
  expect(texts.length).toBeGreaterThan(150);
  const fillPlaces = (text: string) => text.replace(/\{(\w+)\}/g, "<$1>");
  expect(germanTexts).toEqual(texts.map(([key]) => fillPlaces((de as Record<string, string>)[key] ?? "")));
  const unchangedTexts = germanTexts.filter((text, at) => text === fillPlaces(english[at] ?? ""));
  expect(unchangedTexts).toEqual(["<text>"]);
});

test("a reason within a reason is in the same language", async () => {
  await loadTexts("de");
  const nestedReason = {
    code: "exact_only",
    params: { why: { code: "runs_code", params: { program: "npx" } } },
  };
  const code = { code: "beyond", params: { rule: "bash(npx:*)", command: "npx a", why: nestedReason } };
  expect(sentences(["The rule …"], [code], "de")).toEqual([
    "Die Regel `bash(npx:*)` gilt nicht für `npx a`: `npx` kann andere Programme oder Code ausführen; nur eine Regel für genau diesen Befehl erlaubt das.",
  ]);
});

test("a code of a newer server, and a text without one, stay in English", () => {
  const code = { code: "not_understood", params: { why: { code: "not_yet_known" } } };
  expect(sentences(["New.", "Half.", "Old."], [{ code: "not_yet_known" }, code], "de")).toEqual([
    "New.",
    "Half.",
    "Old.",
  ]);
});
