import { expect, test } from "vitest";
import de from "../../../src/askback/messages/de.json" with { type: "json" };
import en from "../../../src/askback/messages/en.json" with { type: "json" };
import { loadTexts } from "../../src/core/messages.ts";
import { sentences } from "../../src/elements/approval/reasons.ts";

const named = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map((found) => found[1] ?? "");

test("every reason of the policy reads whole in German, and no English is left", async () => {
  await loadTexts("de");
  const texts = Object.entries(en).filter(([key]) => key.startsWith("reason."));
  const codes = texts.map(([key, text]) => ({
    code: key.slice("reason.".length),
    params: Object.fromEntries(named(text).map((name) => [name, `<${name}>`])),
  }));
  const english = texts.map(([, text]) => text);
  const said = sentences(english, codes, "de");
  expect(texts.length).toBeGreaterThan(150);
  const filled = (text: string) => text.replace(/\{(\w+)\}/g, "<$1>");
  expect(said).toEqual(texts.map(([key]) => filled((de as Record<string, string>)[key] ?? "")));
  const same = said.filter((text, at) => text === filled(english[at] ?? ""));
  expect(same).toEqual(["<text>"]);
});

test("a reason within a reason is in the same language", async () => {
  await loadTexts("de");
  const why = { code: "exact_only", params: { why: { code: "runs_code", params: { program: "npx" } } } };
  const code = { code: "beyond", params: { rule: "bash(npx:*)", command: "npx a", why } };
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
