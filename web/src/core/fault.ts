import type { Fault } from "./wire.ts";

/** Make a fault; the code is the part of `key` before the first dot. */
export function fault(path: string, key: string, params: Record<string, unknown> = {}): Fault {
  return { path, code: key.replace(/\..*/, ""), key, params };
}
