import { onDemand } from "./ondemand.ts";

/** How long Submit waits for the rules of the fields. */
const TIMEOUT_MS = 2_000;

/**
 * Load the rules of the fields, unless they are there.
 *
 * It never rejects, and resolves after a while in any case: the server has the rules too. The next call tries again.
 */
export function loadRules(): Promise<unknown> | undefined {
  if (onDemand.findFaults) return undefined;
  const timeout = new Promise((resolve) => setTimeout(resolve, TIMEOUT_MS));
  return Promise.race([import("./rules/rules.ts").catch(() => {}), timeout]);
}
