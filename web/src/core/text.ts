/** `\s` is White_Space and U+FEFF, but for U+0085. */
const BLANK = /^[\s\x85]*$/;

/** Whether a person who sees `text` would say that nothing is there. */
export function isBlank(text: string): boolean {
  return BLANK.test(text);
}

/** Length in code points, as all limits are counted. */
export const codePoints = (text: string): number => [...text].length;
