import { onDemand } from "./ondemand.ts";

/** How long Submit waits for the rules of the fields. */
const LONGEST_MS = 2_000;

/**
 * Load the rules of the fields, unless they are there.
 *
 * It never rejects, and resolves after a while in any case: the server has the rules too. The next call tries again.
 */
export function loadRules(): Promise<unknown> | undefined {
  if (onDemand.findFaults) return undefined;
  const late = new Promise((resolve) => setTimeout(resolve, LONGEST_MS));
  return Promise.race([import("./rules/rules.ts").catch(() => {}), late]);
}
