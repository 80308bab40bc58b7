import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findSecret, withoutSecrets } from "../../src/core/secretshapes.ts";
import { cases, expand } from "./cases.ts";

interface ShapeCase {
  text: unknown[];
  shape: [string, number, number] | null;
}

const pieces = fc.constantFrom(
  "ghp_",
  "eyJ",
  "-----BEGIN ",
  "PRIVATE KEY-----",
  "://a:",
  "@b",
  "Bearer ",
  "A1b",
  "x",
  " ",
);

/** Indices of code points, as the vectors count them. */
function codePointsAt(text: string, ...indices: number[]): number[] {
  return indices.map((index) => [...text.slice(0, index)].length);
}

describe("secret shapes", () => {
  test.each(cases<ShapeCase>("secretshapes"))("$id: $shows", ({ text, shape }) => {
    const wholeText = expand(text).join("");
    const secret = findSecret(wholeText);
    expect(secret && [secret.kind, ...codePointsAt(wholeText, secret.start, secret.end)]).toEqual(shape);
  });

  test("the vectors have distinct ids, and no part of one holds a whole key", () => {
    const allCases = cases<ShapeCase>("secretshapes");
    expect(new Set(allCases.map(({ id }) => id)).size).toBe(allCases.length);
    const keys = ["api_key", "private_key", "jwt"];
    for (const { id, text, shape } of allCases)
      if (shape && keys.includes(shape[0]))
        expect(
          text.map((part) => findSecret(String(part))?.kind),
          id,
        ).not.toContain(shape[0]);
  });

  test("words are harmless, however they are joined", () => {
    const word = fc.stringMatching(/^[a-z]{1,12}$/);
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 20 }),
        fc.constantFrom(" ", "-", "_", "/", "."),
        (words, joint) => {
          expect(findSecret(words.join(joint))).toBeNull();
          const camelCaseText = words.map((each) => each.charAt(0).toUpperCase() + each.slice(1)).join("");
          expect(findSecret(camelCaseText)).toBeNull();
        },
      ),
    );
  });

  test.each([16, 18, 24, 32, 48])("nearly every random token of %i bytes is found", (size) => {
    const tokens = Array.from({ length: 400 }, () => randomBytes(size).toString("base64url"));
    expect(tokens.filter((token) => findSecret(token)).length).toBeGreaterThanOrEqual(340);
  });

  test("a shape is a range of the text", () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        const text = parts.join("");
        const secret = findSecret(text);
        if (secret)
          expect(0 <= secret.start && secret.start < secret.end && secret.end <= text.length).toBe(true);
      }),
    );
  });

  test("no text keeps the page busy", () => {
    const pieces = [
      "eyJ-",
      "eyJaaaaaaaaaaaaaaaa.",
      "A1b",
      "://a:",
      "a-",
      "a@",
      "..",
      "~/./",
      "aGVs",
      "token=a",
      "a+b://",
    ];
    for (const piece of [...pieces, "-----BEGIN ", "bearer a", "AKIA", "0x"])
      expect(findSecret(`${piece.repeat(100_000 / piece.length)} ghp_${"a1B".repeat(12)}`)).not.toBeNull();
  });

  test("what is left without secrets holds none", () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        const text = parts.join("");
        const redactedText = withoutSecrets(text);
        expect(findSecret(redactedText)).toBeNull();
        expect(redactedText === text).toBe(findSecret(text) === null);
      }),
    );
  });

  test("only the secrets are left out", () => {
    const key = `ghp_${"aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA2bC5"}`;
    expect(withoutSecrets(`one ${key} two, password=correct7horse.`)).toBe("one … two, password=…");
  });
});
