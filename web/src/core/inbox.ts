/** Everything that waits for a person, over all threads, kept up to date by `request.*` events. */

import { isTerminal } from "./lifecycle.ts";
import { isNewer } from "./revision.ts";
import type { InputRequest, RequestEvent } from "./wire.ts";

/** `known` holds null for what has ended, so that a late event cannot bring it back. */
export interface Inbox {
  readonly position: number;
  readonly known: ReadonlyMap<string, InputRequest | null>;
}

export const EMPTY_INBOX: Inbox = { position: 0, known: new Map() };

/** Take one state of a request in, from a list or an event. */
export function learn(inbox: Inbox, request: InputRequest): Inbox {
  const held = inbox.known.get(request.id);
  if (held === null || (held && !isNewer(request, held))) return inbox;
  return {
    ...inbox,
    known: new Map(inbox.known).set(request.id, isTerminal(request.status) ? null : request),
  };
}

/** Take an event in and move the cursor; order and repetition do not matter. */
export function applyInboxEvent(inbox: Inbox, event: RequestEvent): Inbox {
  const moved = event.position > inbox.position ? { ...inbox, position: event.position } : inbox;
  return learn(moved, event.request);
}

/** What still waits for a person, newest first; what is being tried or stands in line waits for others. */
export function waiting(inbox: Inbox): InputRequest[] {
  return [...inbox.known.values()]
    .filter((request): request is InputRequest => request?.status === "pending" && !request.queued_behind)
    .sort((a, b) => compare(b.created_at, a.created_at) || compare(b.id, a.id));
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
