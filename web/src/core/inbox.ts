/** Everything that waits for a person, over all threads, kept up to date by `request.*` events. */

import { isTerminal } from "./lifecycle.ts";
import { isNewer } from "./revision.ts";
import type { InputRequest, RequestEvent, Shared } from "./wire.ts";

/** `known` holds null for what has ended, so that a late event cannot bring it back. */
export interface Inbox {
  readonly position: number;
  readonly known: ReadonlyMap<string, InputRequest | null>;
}

export const EMPTY_INBOX: Inbox = { position: 0, known: new Map() };

/** Take one state of a request in, from a list or an event. */
export function learn(inbox: Inbox, request: InputRequest): Inbox {
  const held = inbox.known.get(request.id);
  if (held === null) return inbox;
  // What is no later state may still be listed with another level.
  const { level = held?.level } = request;
  const latest = { ...(held && !isNewer(request, held) ? held : request), level };
  return {
    ...inbox,
    known: new Map(inbox.known).set(request.id, isTerminal(latest.status) ? null : latest),
  };
}

/** Take in what the reader may do in a thread from now on; of a hidden one nothing is shown. */
export function applyShared(inbox: Inbox, { thread_id, level }: Shared): Inbox {
  const known = [...inbox.known].flatMap(([id, request]): [string, InputRequest | null][] => {
    if (request?.thread_id !== thread_id) return [[id, request]];
    return level === "none" ? [] : [[id, { ...request, level }]];
  });
  return { ...inbox, known: new Map(known) };
}

/** Take an event in and move the cursor; order and repetition do not matter. */
export function applyInboxEvent(inbox: Inbox, event: RequestEvent): Inbox {
  const moved = event.position > inbox.position ? { ...inbox, position: event.position } : inbox;
  return learn(moved, event.request);
}

/** What is open, newest first, with what is being checked; what stands in line waits for others. */
export function waiting(inbox: Inbox): InputRequest[] {
  return [...inbox.known.values()]
    .filter((request): request is InputRequest => !!request && !request.queued_behind)
    .sort((a, b) => compare(b.created_at, a.created_at) || compare(b.id, a.id));
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
