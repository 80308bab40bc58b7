import fc from "fast-check";
import { expect, test } from "vitest";
import {
  foldLines,
  INVISIBLE_CHARACTERS,
  type Line,
  lengthOf,
  linesOf,
  MAX_CHARACTERS,
  MAX_KEPT_LINES,
  MAX_LINES,
  type Parts,
  showInvisible,
  textOf,
} from "../../src/core/parts.ts";

const fullText = (parts: Parts): string => parts.map(textOf).join("");
const text = (lines: ReturnType<typeof linesOf>): string =>
  lines.map(({ parts }) => fullText(parts)).join("\n");
const numberedParts = (count: number): Parts => [
  Array.from({ length: count }, (_, at) => `line ${at}`).join("\n"),
];

/** What is shown before and after the only gap. */
function endsOf(folded: (Line | null)[] | null): [string, string] {
  const gap = folded?.indexOf(null) ?? -1;
  expect(folded?.lastIndexOf(null)).toBe(gap);
  const shown = folded?.filter((line) => line !== null) ?? [];
  return [text(shown.slice(0, gap)), text(shown.slice(gap))];
}

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
  expect(foldLines(linesOf(numberedParts(MAX_LINES)))).toBeNull();
  const [head, tail] = endsOf(foldLines(linesOf(numberedParts(MAX_LINES + 1))));
  expect(head).toBe(numberedParts(8)[0]);
  expect(tail).toBe("line 9\nline 10\nline 11\nline 12");
});

test("of one line without an end both ends are shown", () => {
  const command = `${"a".repeat(MAX_CHARACTERS)} && rm -rf ~`;
  const [head, tail] = endsOf(foldLines(linesOf([command])));
  expect(tail).toMatch(/a && rm -rf ~$/);
  expect(head.length).toBe(900);
});

test("a line that must be seen is shown whole between the ends, or in them", () => {
  const lines = linesOf(numberedParts(100));
  const folded = foldLines(lines, (_, at) => at === 40 || at === 41);
  expect(folded?.map((line) => line && text([line]))).toEqual([
    ...lines.slice(0, 8).map((line) => text([line])),
    null,
    "line 40",
    "line 41",
    null,
    ...lines.slice(96).map((line) => text([line])),
  ]);
  const long = linesOf([`${"a".repeat(MAX_CHARACTERS)} && rm -rf ~ && ${"b".repeat(MAX_CHARACTERS)}\nend`]);
  expect(foldLines(long, (_, at) => at === 0)).toBeNull();
  expect(foldLines(lines, () => true)).toBeNull();
});

test("more lines that must be seen than a page can draw are folded", () => {
  const folded = foldLines(linesOf(numberedParts(2 * MAX_KEPT_LINES)), () => true);
  expect(folded?.filter(Boolean)).toHaveLength(8 + MAX_KEPT_LINES + 4);
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
      const folded = foldLines(lines);
      if (!folded) {
        expect(lines.length <= MAX_LINES && lengthOf(lines) <= MAX_CHARACTERS).toBe(true);
        return;
      }
      const [head, tail] = endsOf(folded);
      expect(text(lines).startsWith(head)).toBe(true);
      expect(text(lines).endsWith(tail)).toBe(true);
      expect(head.length + tail.length).toBeLessThan(fullText(parts).length);
      if (!LONE_SURROGATE.test(fullText(parts))) expect(LONE_SURROGATE.test(`${head}|${tail}`)).toBe(false);
    }),
  );
});
