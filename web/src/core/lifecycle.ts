import table from "./generated/lifecycle.json" with { type: "json" };
import type { Status } from "./wire.ts";

const TRANSITIONS: Partial<Record<string, Partial<Record<string, string>>>> = table;

/** Whether a request has ended: nothing leaves such a status. */
export function isTerminal(status: Status): boolean {
  return status !== "pending" && status !== "resolving";
}

/** The status that `action` leads to, or null where the table does not allow it. */
export function step(status: Status, action: string): Status | null {
  const row = TRANSITIONS[status];
  return row && Object.hasOwn(row, action) ? (row[action] as Status) : null;
}
