import { expect, test } from "vitest";
import { finishedPart } from "../../src/elements/chat/streamedtext.ts";

const TABLE = "| a | b |\n|---|---|\n";

test.each([
  ["What I **fou", "What I "],
  ["What I **found** is", "What I **found** is"],
  ["Use `Deci", "Use "],
  ["In [the docs](https://exam", "In "],
  ["In [the do", "In "],
  ["In [the docs](https://example.org) it", "In [the docs](https://example.org) it"],
  ["Files:\n\n| a |", "Files:\n\n"],
  ["Files:\n\n| a | b |\n", "Files:\n\n"],
  ["| a | b |\n|--", ""],
  [`Files:\n\n${TABLE}`, `Files:\n\n${TABLE}`],
  [`${TABLE}| 1 |`, TABLE],
  [`${TABLE}| 1 | 2 |\nDone`, `${TABLE}| 1 | 2 |\nDone`],
  ["Plain words", "Plain words"],
])("of %j a reader sees %j while it grows", (text, shown) => {
  expect(finishedPart(text)).toBe(shown);
});

test("of a growing text no open mark and no table without its second line is shown", () => {
  const wholeText = `Plan **now** with \`code\` and [docs](https://example.org):\n\n${TABLE}| 1 | 2 |\n\nDone.`;
  for (let end = 1; end <= wholeText.length; end += 1) {
    const shown = finishedPart(wholeText.slice(0, end));
    expect(wholeText.slice(0, end).startsWith(shown)).toBe(true);
    expect(shown).not.toMatch(/^([^*]*\*\*[^*]*\*\*)*[^*]*\*\*[^*]*$|\[[^\]]*$|^\|[^\n]*\n?$/);
  }
  expect(finishedPart(wholeText)).toBe(wholeText);
});
