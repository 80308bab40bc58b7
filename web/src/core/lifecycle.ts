import type { InputRequest, Status } from "./generated/wire.ts";

/** Whether a request has ended: its status can no longer change. */
export function isTerminal(status: Status): boolean {
  return status !== "pending" && status !== "resolving";
}

/**
 * Whether `next` is a later state of the same request than `current`.
 *
 * States are totally ordered: an end is later than all else (and what became of an approval later still), then the higher revision, then
 * `resolving` after `pending`, then the one on which more was noted. So whatever the order and however often they
 * arrive, readers agree.
 */
export function isNewer(incoming: InputRequest, current: InputRequest): boolean {
  if (isTerminal(current.status))
    return current.status === incoming.status && followUpCount(incoming) > followUpCount(current);
  if (isTerminal(incoming.status)) return true;
  if (incoming.revision !== current.revision) return incoming.revision > current.revision;
  if (incoming.status !== current.status) return incoming.status === "resolving";
  return noteCount(incoming) > noteCount(current);
}

/** What comes after an approval: its call has run, or it was revoked. */
const followUpCount = ({ used_at, revoked }: InputRequest): number => +!!used_at + +!!revoked;

/** The number of notes on an open request, which only grows: votes, escalation steps, assignments, failed attempts, and flags that are set once. */
const noteCount = ({
  votes = [],
  escalated = 0,
  assignment,
  attempt,
  shown_at,
  detached,
  queued_behind,
}: InputRequest): number =>
  votes.length +
  escalated +
  (assignment?.number ?? 0) +
  (attempt?.number ?? 0) +
  +!!shown_at +
  +!!detached +
  +!queued_behind;
