import fc from "fast-check";
import { expect, test } from "vitest";
import {
  INVISIBLE_CHARACTERS,
  lengthOf,
  linesOf,
  MAX_CHARACTERS,
  MAX_LINES,
  type Parts,
  showInvisible,
  textOf,
  truncate,
} from "../../src/core/parts.ts";

const fullText = (parts: Parts): string => parts.map(textOf).join("");
const text = (lines: ReturnType<typeof linesOf>): string =>
  lines.map(({ parts }) => fullText(parts)).join("\n");
const numberedParts = (count: number): Parts => [
  Array.from({ length: count }, (_, at) => `line ${at}`).join("\n"),
];

const LONE_SURROGATE = /\p{Cs}/u;

test("what would not be seen or would deceive is written out", () => {
  expect(showInvisible("rm \u202etxt.exe")).toEqual(["rm ", { escape: "\\u202e" }, "txt.exe"]);
  expect(fullText(showInvisible("a\u200bb\u0007c\u00a0d\u{e0041}e"))).toBe(
    "a\\u200bb\\u0007c\\u00a0d\\U000e0041e",
  );
  expect(showInvisible("first\n\tsecond äß 漢字 👩")).toEqual(["first\n\tsecond äß 漢字 👩"]);
});

test("prose keeps the blanks and the pictures that a writer means", () => {
  const prose = "Vraiment\u00a0? ⚠\ufe0f";
  expect(showInvisible(prose, INVISIBLE_CHARACTERS)).toEqual([prose]);
  expect(fullText(showInvisible("\u202eevil", INVISIBLE_CHARACTERS))).toBe("\\u202eevil");
});

test("a short text is shown whole, a longer one by its two ends", () => {
  expect(truncate(linesOf(numberedParts(MAX_LINES)))).toBeNull();
  const truncated = truncate(linesOf(numberedParts(MAX_LINES + 1)));
  expect(text([...(truncated?.head ?? [])])).toBe(numberedParts(8)[0]);
  expect(text([...(truncated?.tail ?? [])])).toBe("line 9\nline 10\nline 11\nline 12");
});

test("of one line without an end both ends are shown", () => {
  const command = `${"a".repeat(MAX_CHARACTERS)} && rm -rf ~`;
  const truncated = truncate(linesOf([command]));
  expect(text([...(truncated?.tail ?? [])])).toMatch(/a && rm -rf ~$/);
  expect(lengthOf(truncated?.head ?? [])).toBe(900);
});

const part = fc.oneof(
  fc.string({ unit: "binary", maxLength: 400 }),
  fc.constantFrom("\n", "x".repeat(700), "\n\n\n\n", "😀".repeat(300)),
  fc.constantFrom({ escape: "\\u202e" }, { escape: "\\u0007" }),
);

test("whatever is folded, the ends are those of the text, they do not overlap, and an escape stays whole", () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const lines = linesOf(parts);
      expect(text(lines)).toBe(fullText(parts));
      const truncated = truncate(lines);
      if (!truncated) {
        expect(lines.length <= MAX_LINES && lengthOf(lines) <= MAX_CHARACTERS).toBe(true);
        return;
      }
      const [head, tail] = [text([...truncated.head]), text([...truncated.tail])];
      expect(text(lines).startsWith(head)).toBe(true);
      expect(text(lines).endsWith(tail)).toBe(true);
      expect(head.length + tail.length).toBeLessThan(fullText(parts).length);
      if (!LONE_SURROGATE.test(fullText(parts))) expect(LONE_SURROGATE.test(`${head}|${tail}`)).toBe(false);
    }),
  );
});
