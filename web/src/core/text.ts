const BLANK = /^[\p{White_Space}\uFEFF]*$/u;

/** Whether a person who sees `text` would say that nothing is there. */
export function isBlank(text: string): boolean {
  return BLANK.test(text);
}

/** Length in code points, as all limits are counted. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Half of a surrogate pair: no text, and nothing that UTF-8 could carry. */
export function hasLoneSurrogate(text: string): boolean {
  return /\p{Cs}/u.test(text);
}

/** Whether a line (or with `lines` a text of several) has a character that no keyboard types. */
export function hasControl(text: string, lines: boolean): boolean {
  return (lines ? /[^\P{Cc}\t\n\r]/u : /[^\P{Cc}\t]/u).test(text);
}
