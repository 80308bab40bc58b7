import { isTerminal } from "./lifecycle.ts";
import type { InputRequest } from "./wire.ts";

/**
 * Whether `next` is a later state of the same request than `current`.
 *
 * States are totally ordered: an end is later than all else, then the higher revision, then
 * `resolving` after `pending`. So whatever the order and however often they arrive, readers agree.
 */
export function isNewer(next: InputRequest, current: InputRequest): boolean {
  if (isTerminal(current.status)) return false;
  if (isTerminal(next.status)) return true;
  if (next.revision !== current.revision) return next.revision > current.revision;
  return next.status === "resolving" && current.status === "pending";
}
