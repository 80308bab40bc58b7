/**
 * Whether `value` fits a pattern that the server rewrote for the browser.
 *
 * True as well where there is none to run, or the engine is older than the pattern: then only the server decides. An
 * agent's own pattern is never run here, since it could keep the page busy for ever.
 */
export function browserMatches(source: string | null | undefined, value: string): boolean {
  try {
    return source == null || new RegExp(source, "u").test(value);
  } catch {
    return true;
  }
}
