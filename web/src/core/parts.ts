/**
 * Texts in pieces: plain ones, and the characters that would not be seen or would deceive, written out.
 *
 * The server makes the pieces of what would run. `visible` makes those of what the agent says and people type.
 */

import type { Escape } from "./generated/wire.ts";

export type Part = string | Escape;
export type Parts = readonly Part[];

/** A line of what is shown; `op` is that of a diff. */
export interface Line {
  readonly op?: string;
  readonly parts: Parts;
}

/** More than either is folded. */
export const MAX_LINES = 12;
export const MAX_CHARACTERS = 1_500;
/** More of the lines that are never folded are folded nevertheless: a page could not draw a million of them. */
export const MAX_KEPT_LINES = 1_000;

const HEAD_LIMIT = { lines: 8, characters: 900 };
const TAIL_LIMIT = { lines: 4, characters: 500 };

/** Controls but tab and line feed, what turns the direction, what is no character, and letters without a shape. */
export const INVISIBLE_CHARACTERS = /(?![\t\n])[\p{C}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]/gu;

/** Those, and blanks that are not the space, and marks that change or cover a letter: a program tells them apart. */
const UNSEEN =
  /(?![\t\n ])(?:[\p{C}\p{Z}\p{Me}\u115f\u1160\u2800\u3164\uffa0]|[\u0334-\u0338]|\u034f|[\ufe00-\ufe0f])/gu;

const spellEscape = (character: string): string => {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
};

/** A text with every character that would not be seen, or would deceive, as an escape. */
export function showInvisible(text: string, invisibleCharacters: RegExp = UNSEEN): Part[] {
  let end = 0;
  const parts: Part[] = [];
  for (const { 0: character, index } of text.matchAll(invisibleCharacters)) {
    parts.push(text.slice(end, index), { escape: spellEscape(character) });
    end = index + character.length;
  }
  return [...parts, text.slice(end)].filter((part) => part !== "");
}

/** The text of a piece, as it is read. */
export const textOf = (part: Part): string => (typeof part === "string" ? part : part.escape);

/** Cut a text in pieces into its lines. */
export function linesOf(parts: Parts): Line[] {
  const lines: Part[][] = [[]];
  for (const part of parts) {
    const [first, ...otherLines] = typeof part === "string" ? part.split("\n") : [part];
    if (first) lines.at(-1)?.push(first);
    for (const text of otherLines) lines.push(text ? [text] : []);
  }
  return lines.map((line) => ({ parts: line }));
}

/** The number of visible characters in the lines. */
export const lengthOf = (lines: readonly Line[]): number =>
  lines.flatMap(({ parts }) => parts).reduce((sum, part) => sum + textOf(part).length, 0);

/**
 * Fold long lines: their beginning, their end, and those between that `isKept` names, with null where something is
 * hidden. Return null if nothing has to be hidden.
 */
export function foldLines<L extends Line>(
  lines: readonly L[],
  isKept: (line: L, at: number) => boolean = () => false,
): (L | null)[] | null {
  if (lines.length <= MAX_LINES && lengthOf(lines) <= MAX_CHARACTERS) return null;
  const [head, tail] = [takeLines(lines, HEAD_LIMIT, false), takeLines(lines, TAIL_LIMIT, true)];
  const result: (L | null)[] = [];
  let keptCount = 0;
  for (const [at, line] of lines.entries()) {
    const ends = [head[at], tail[at - lines.length + tail.length]].filter((end) => end !== undefined);
    const isWhole = ends.some((end) => lengthOf([end]) === lengthOf([line]));
    if (isWhole || (isKept(line, at) && keptCount++ < MAX_KEPT_LINES)) result.push(line);
    else if (head[at]) result.push(head[at], null, ...ends.slice(1));
    else result.push(null, ...ends);
  }
  const folded = result.filter((line, at) => line || result[at - 1] !== null);
  return folded.includes(null) ? folded : null;
}

/** Lines from one end, as far as `limit` goes; the last of them may be cut. */
function takeLines<L extends Line>(lines: readonly L[], limit: typeof HEAD_LIMIT, fromEnd: boolean): L[] {
  const result: L[] = [];
  let remaining = limit.characters;
  for (const line of fromEnd ? lines.toReversed() : lines) {
    if (result.length === limit.lines || remaining <= 0) break;
    const parts = takeParts(line.parts, remaining, fromEnd);
    remaining -= lengthOf([line]);
    result.push({ ...line, parts });
  }
  return fromEnd ? result.reverse() : result;
}

function takeParts(parts: Parts, limit: number, fromEnd: boolean): Part[] {
  const result: Part[] = [];
  let remaining = limit;
  for (const part of fromEnd ? parts.toReversed() : parts) {
    if (remaining <= 0) break;
    const { length } = textOf(part);
    // An escape is kept whole or not at all; half of a pair of surrogates is given back.
    if (length <= remaining) result.push(part);
    else if (typeof part === "string")
      result.push(
        (fromEnd ? part.slice(-remaining) : part.slice(0, remaining)).replace(
          /^[\udc00-\udfff]|[\ud800-\udbff]$/,
          "",
        ),
      );
    remaining -= length;
  }
  return fromEnd ? result.reverse() : result;
}
