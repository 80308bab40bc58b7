/** The open requests of a person in all threads, updated by `request.*` events. */

import type { InputRequest, LevelChange, RequestEvent } from "./generated/wire.ts";
import { isNewer, isTerminal } from "./lifecycle.ts";

/** `byId` maps an ended request to null, so that a late event cannot bring it back. */
export interface Inbox {
  readonly position: number;
  readonly byId: ReadonlyMap<string, InputRequest | null>;
}

export const EMPTY_INBOX: Inbox = { position: 0, byId: new Map() };

/** Add states of requests, from a list or an event. */
export function addRequests(inbox: Inbox, requests: readonly InputRequest[]): Inbox {
  const byId = new Map(inbox.byId);
  for (const request of requests) {
    const current = byId.get(request.id);
    if (current === null) continue;
    // An earlier state may still come with a newer level.
    const { level = current?.level } = request;
    const latest = { ...(current && !isNewer(request, current) ? current : request), level };
    byId.set(request.id, isTerminal(latest.status) ? null : latest);
  }
  return { ...inbox, byId };
}

/** Apply a new level of the reader in a thread; the requests of a hidden thread are removed. */
export function applyShared(inbox: Inbox, { thread_id, level }: LevelChange): Inbox {
  const byId = [...inbox.byId].flatMap(([id, request]): [string, InputRequest | null][] => {
    if (request?.thread_id !== thread_id) return [[id, request]];
    return level === "none" ? [] : [[id, { ...request, level }]];
  });
  return { ...inbox, byId: new Map(byId) };
}

/** Apply an event and move the cursor; order and repetition do not matter. */
export function applyInboxEvent(inbox: Inbox, event: RequestEvent): Inbox {
  const advancedInbox = event.position > inbox.position ? { ...inbox, position: event.position } : inbox;
  return addRequests(advancedInbox, [event.request]);
}

/** Return the open requests, newest first, without those that wait in line behind another. */
export function waitingRequests(inbox: Inbox): InputRequest[] {
  return [...inbox.byId.values()]
    .filter((request): request is InputRequest => !!request && !request.queued_behind)
    .sort((a, b) => compareText(b.created_at, a.created_at) || compareText(b.id, a.id));
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
