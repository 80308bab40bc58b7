const compiled = new Map<string, RegExp | null>();

/**
 * Whether `value` fits a pattern that the server rewrote for the browser.
 *
 * True as well where there is none to run: then only the server decides. An agent's own pattern
 * is never run here, since it could keep the page busy for ever.
 */
export function browserMatches(source: string | null | undefined, value: string): boolean {
  if (source === null || source === undefined) return true;
  if (!compiled.has(source)) compiled.set(source, compile(source));
  return compiled.get(source)?.test(value) ?? true;
}

/** An engine that is older than the pattern leaves it to the server. */
function compile(source: string): RegExp | null {
  try {
    return new RegExp(source, "u");
  } catch {
    return null;
  }
}
