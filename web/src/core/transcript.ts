/**
 * A conversation as it is read: a snapshot, brought up to date by events.
 *
 * Events may come twice or out of order. One that is seen is ignored, one that is early is held
 * until those before it are there: `hasGap` says that some are missing, and then the reader asks
 * for a snapshot. It does so as well when something of the whole thread has changed, such as the access to it: only
 * the server knows what that leaves to this reader, so the event stays held until a snapshot says it.
 */

import type {
  AccessEvent,
  ArchiveEvent,
  InputRequest,
  Message,
  MessagePart,
  ThreadEvent,
  ThreadRequest,
  ThreadSnapshot,
  UpdateEvent,
} from "./generated/wire.ts";
import { isTerminal } from "./lifecycle.ts";

/** The whole thread has changed: the reader has to load a new snapshot. */
type WholeEvent = AccessEvent | ArchiveEvent | UpdateEvent;
/** A part of the thread has changed. */
export type PartEvent = Exclude<ThreadEvent, WholeEvent>;

export interface Transcript {
  readonly id: string;
  readonly seq: number;
  readonly messages: readonly Message[];
  readonly requests: readonly ThreadRequest[];
  /** Those that have not ended, the last that began first. */
  readonly runs?: ThreadSnapshot["runs"];
  readonly title?: ThreadSnapshot["title"];
  readonly access?: ThreadSnapshot["access"];
  readonly free_text?: ThreadSnapshot["free_text"];
  readonly archived_at?: ThreadSnapshot["archived_at"];
  /** Events that came before their turn, by `seq`. */
  readonly early: ReadonlyMap<number, ThreadEvent>;
}

/** `advance` applies an event to a conversation. Until `events.ts` has set it, each event makes the page load a snapshot. */
export const events: { advance?: (thread: Transcript, event: PartEvent) => Transcript } = {};

/** An empty conversation, before anything was read. */
export function emptyThread(id: string): Transcript {
  return { id, seq: 0, messages: [], requests: [], early: new Map() };
}

/** Take a snapshot in, unless what is held already is newer. */
export function adoptSnapshot(thread: Transcript, snapshot: ThreadSnapshot): Transcript {
  if (snapshot.seq < thread.seq) return thread;
  const { access, requests } = snapshot;
  const threadRequests = requests.map((request) => ({ ...request, level: access.level }));
  return drain({ ...snapshot, requests: threadRequests, early: thread.early });
}

/** Take one event in; the same object comes back when it was seen before. */
export function applyEvent(thread: Transcript, event: ThreadEvent): Transcript {
  if (event.seq <= thread.seq || thread.early.has(event.seq)) return thread;
  return drain({ ...thread, early: new Map(thread.early).set(event.seq, event) });
}

/** Whether events are missing between what was read and what has come. */
export function hasGap(thread: Transcript): boolean {
  return thread.early.size > 0;
}

function drain(thread: Transcript): Transcript {
  const nextEvent = thread.early.get(thread.seq + 1);
  if (nextEvent && events.advance && !isWhole(nextEvent)) return drain(events.advance(thread, nextEvent));
  return { ...thread, early: new Map([...thread.early].filter(([seq]) => seq > thread.seq)) };
}

const isWhole = (event: ThreadEvent): event is WholeEvent => event.type.startsWith("thread");

/** A part of a message: a block, or a request at this place (null while it is not loaded). */
export type Part =
  | Exclude<MessagePart, { type: "request" }>
  | { type: "request"; id: string; request: ThreadRequest | null };

export type Entry =
  | { type: "message"; id: string; message: Message; parts: Part[] }
  | { type: "request"; id: string; request: ThreadRequest };

/**
 * The conversation in display order, every request once.
 *
 * Held messages come last, because the agent does not have them yet, and after them an open standalone request. The request
 * `exceptId` is left out: it is shown elsewhere. A request is shown at its own `request` block; else after the `tool` block with its
 * `tool_call_id`; else after the message `message_id`; else by `seq`, as a standalone one always is.
 */
export function entries(thread: Transcript, exceptId?: string): Entry[] {
  const messages = [...thread.messages].sort((a, b) => +!!a.held - +!!b.held || bySeq(a, b));
  const places = new Set(messages.flatMap(({ id, content }) => [`message ${id}`, ...content.map(placeOf)]));
  const requestsByPlace = new Map<string, ThreadRequest[]>();
  const requests = thread.requests.filter(({ id }) => id !== exceptId);
  for (const request of requests.sort((a, b) => +isLast(a) - +isLast(b) || bySeq(a, b))) {
    const { id, tool_call_id, message_id } = request;
    const namedPlaces = isStandalone(request)
      ? []
      : [`request ${id}`, `tool ${tool_call_id}`, `message ${message_id}`];
    const place = namedPlaces.find((name) => places.has(name)) ?? "";
    requestsByPlace.set(place, [...(requestsByPlace.get(place) ?? []), request]);
  }
  const unplacedRequests = requestsByPlace.get("") ?? [];
  const takeEntriesBefore = (seq: number) =>
    unplacedRequests.splice(
      0,
      unplacedRequests.filter((request) => request.seq < seq && !isLast(request)).length,
    );
  /** What is at a place; a place that is named twice counts once. */
  const takeRequestsAt = (place: string) => (places.delete(place) ? (requestsByPlace.get(place) ?? []) : []);
  const messageEntries = messages.flatMap((message): Entry[] => [
    ...takeEntriesBefore(message.seq).map(entryOf),
    { type: "message", id: message.id, message, parts: partsOf(message, places, takeRequestsAt) },
    ...takeRequestsAt(`message ${message.id}`).map(entryOf),
  ]);
  return [...messageEntries, ...unplacedRequests.map(entryOf)];
}

function placeOf(block: MessagePart): string {
  return `${block.type} ${block.type === "request" ? block.request_id : block.type === "tool" && block.tool_call_id}`;
}

function partsOf(
  message: Message,
  places: ReadonlySet<string>,
  takeRequests: (place: string) => ThreadRequest[],
): Part[] {
  return message.content.flatMap((block): Part[] => {
    const place = placeOf(block);
    if (block.type === "request") {
      const { request_id: id } = block;
      return places.has(place) ? [{ type: "request", id, request: takeRequests(place)[0] ?? null }] : [];
    }
    return [block, ...(block.type === "tool" ? takeRequests(place).map(entryOf) : [])];
  });
}

const entryOf = (request: ThreadRequest) => ({ type: "request", id: request.id, request }) as const;
const isStandalone = ({ presentation }: InputRequest) => presentation === "standalone";
const isLast = (request: InputRequest) => isStandalone(request) && !isTerminal(request.status);
const bySeq = (a: { seq: number }, b: { seq: number }) => a.seq - b.seq;
