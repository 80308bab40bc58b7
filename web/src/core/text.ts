/** `\s` is White_Space and U+FEFF, but for U+0085. */
const BLANK = /^[\s\x85]*$/;

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

/** Whether a line (or with `lines` a text of several) has a character that no keyboard types. */
export function hasControl(text: string, lines: boolean): boolean {
  return (lines ? /[^\P{Cc}\t\n\r]/u : /[^\P{Cc}\t]/u).test(text);
}
