/** What a text that grows can show already. */

/** The marks in a line that are open as long as their number is odd. */
const MARKS = ["**", "`"];

/**
 * Return a text without what is not finished at its end: a row of a table, a table without its second line, an emphasis,
 * code or a link that is still open. It would be shown as its markup, and change under the eyes of who reads.
 */
export function finished(text: string): string {
  const start = text.lastIndexOf("\n") + 1;
  const line = text.slice(start);
  if (line.startsWith("|")) return withoutHead(text.slice(0, start));
  const open = MARKS.filter((mark) => line.split(mark).length % 2 === 0).map((mark) =>
    line.lastIndexOf(mark),
  );
  const link = /\[[^\]]*(\](\([^)]*)?)?$/.exec(line);
  const end = Math.min(...open, link?.index ?? line.length);
  return withoutHead(text.slice(0, start + end));
}

/** Leave out a line of a table at the end that has no other above it. */
function withoutHead(text: string): string {
  const lines = text.split("\n");
  const [head = "", before = ""] = [lines.at(-2), lines.at(-3)];
  const isAlone = text.endsWith("\n") && head.startsWith("|") && !before.startsWith("|");
  return isAlone ? text.slice(0, -head.length - 1) : text;
}
