/**
 * Recognize texts that belong in a secret field: keys, tokens, passwords in URLs. The patterns of `secretshapes.json` take
 * linear time: an unbounded repetition is at the end of a pattern, or matches in one way only.
 */

import table from "./secretshapes.json" with { type: "json" };

/** The kind and place of a match, never its text: indices of UTF-16 units, `end` is the first one after it. */
export interface Shape {
  kind: keyof typeof table.certain | "token";
  start: number;
  end: number;
}

const certainPatterns = Object.entries(table.certain).map(
  ([kind, patterns]) => [kind as Shape["kind"], new RegExp(patterns.join("|"))] as const,
);
const word = new RegExp(`${table.harmless.join("|")}|(${table.token})`, "g");

/** The first secret shape in a text: one that is certain, else a token that looks random. */
export function findSecret(text: string): Shape | null {
  let first: Shape | null = null;
  for (const [kind, pattern] of certainPatterns) {
    const match = pattern.exec(text);
    if (!match) continue;
    const end = match.index + match[0].length;
    const start = end - (match[1] ?? match[0]).length;
    if (!first || start < first.start) first = { kind, start, end };
  }
  if (first) return first;
  for (const { index, 1: token } of text.matchAll(word))
    if (token && random(token)) return { kind: "token", start: index, end: index + token.length };
  return null;
}

/** The text with "…" in the place of each secret shape. */
export function withoutSecrets(text: string): string {
  const shape = findSecret(text);
  return shape ? withoutSecrets(`${text.slice(0, shape.start)}…${text.slice(shape.end)}`) : text;
}

/** Whether letters and digits change more often than one time in four: in words they do not. */
function random(token: string): boolean {
  const bare = token.replace(/[^A-Za-z\d]/g, "");
  const changes = bare.match(/[a-z](?=[A-Z\d])|[A-Z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0;
  return (
    /[a-z]/.test(bare) && /[A-Z]/.test(bare) && /\d/.test(bare) && changes > Math.max(5, bare.length / 4)
  );
}
