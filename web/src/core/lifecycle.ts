import type { Status } from "./wire.ts";

/** Whether a request has ended: its status cannot change any more. */
export function isTerminal(status: Status): boolean {
  return status !== "pending" && status !== "resolving";
}
