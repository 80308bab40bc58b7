/** The part of a streamed text that can be shown. */

/** The marks in a line that are open as long as their number is odd. */
const MARKS = ["**", "`"];

/**
 * Return a text without its unfinished end: a table row, a table without its delimiter row, or an emphasis, code span or
 * link that is still open. A reader would first see the markup, and then see it change.
 */
export function finishedPart(text: string): string {
  const start = text.lastIndexOf("\n") + 1;
  const line = text.slice(start);
  if (line.startsWith("|")) return withoutTableHead(text.slice(0, start));
  const open = MARKS.filter((mark) => line.split(mark).length % 2 === 0).map((mark) =>
    line.lastIndexOf(mark),
  );
  const link = /\[[^\]]*(\](\([^)]*)?)?$/.exec(line);
  const end = Math.min(...open, link?.index ?? line.length);
  return withoutTableHead(text.slice(0, start + end));
}

/** Remove the first line of a table if it is the last line of the text. */
function withoutTableHead(text: string): string {
  const lines = text.split("\n");
  const [lastLine = "", lineBefore = ""] = [lines.at(-2), lines.at(-3)];
  const isAlone = text.endsWith("\n") && lastLine.startsWith("|") && !lineBefore.startsWith("|");
  return isAlone ? text.slice(0, -lastLine.length - 1) : text;
}
