/**
 * A conversation as it is read: a snapshot, brought up to date by events.
 *
 * Events may come twice or out of order. One that is seen is ignored, one that is early is held
 * until those before it are there: `hasGap` says that some are missing, and then the reader asks
 * for a snapshot. It does so as well when something of the whole thread has changed, such as the access to it: only
 * the server knows what that leaves to this reader, so the event stays held until a snapshot says it.
 */

import { isNewer } from "./revision.ts";
import type { Block, InputRequest, Message, ThreadEvent, ThreadSnapshot, WholeEvent } from "./wire.ts";

export type Placed = InputRequest & { seq: number };

export interface Transcript {
  readonly id: string;
  readonly seq: number;
  readonly messages: readonly Message[];
  readonly requests: readonly Placed[];
  readonly access?: ThreadSnapshot["access"];
  readonly free_text?: ThreadSnapshot["free_text"];
  readonly archived_at?: ThreadSnapshot["archived_at"];
  /** Events that came before their turn, by `seq`. */
  readonly early: ReadonlyMap<number, ThreadEvent>;
}

/** An empty conversation, before anything was read. */
export function emptyThread(id: string): Transcript {
  return { id, seq: 0, messages: [], requests: [], early: new Map() };
}

/** Take a snapshot in, unless what is held already is newer. */
export function adoptSnapshot(thread: Transcript, snapshot: ThreadSnapshot): Transcript {
  if (snapshot.seq < thread.seq) return thread;
  const { access, requests } = snapshot;
  const placed = requests.map((request) => ({ ...request, level: access?.level }));
  return drain({ ...thread, archived_at: undefined, ...snapshot, requests: placed });
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
  const due = thread.early.get(thread.seq + 1);
  if (due && !isWhole(due)) return drain(advance(thread, due));
  return { ...thread, early: new Map([...thread.early].filter(([seq]) => seq > thread.seq)) };
}

const isWhole = (event: ThreadEvent): event is WholeEvent => event.type.startsWith("thread");

function advance(thread: Transcript, event: Exclude<ThreadEvent, WholeEvent>): Transcript {
  const moved = { ...thread, seq: event.seq };
  if ("message" in event) {
    // One that was held is delivered as the same message, and stands where it was delivered.
    const others = thread.messages.filter(({ id }) => id !== event.message.id);
    return { ...moved, messages: [...others, { ...event.message, seq: event.seq }] };
  }
  if ("delta" in event) {
    const { id, text } = event.delta;
    return { ...moved, messages: replace(thread.messages, id, (message) => extend(message, text)) };
  }
  const placed = { ...event.request, seq: event.seq, level: thread.access?.level };
  return { ...moved, requests: merge(thread.requests, placed) };
}

function merge(requests: readonly Placed[], arrived: Placed): readonly Placed[] {
  if (!requests.some((request) => request.id === arrived.id)) return [...requests, arrived];
  return replace(requests, arrived.id, (held) =>
    isNewer(arrived, held) ? { ...arrived, seq: held.seq } : held,
  );
}

function replace<T extends { id: string }>(items: readonly T[], id: string, change: (item: T) => T): T[] {
  return items.map((item) => (item.id === id ? change(item) : item));
}

function extend(message: Message, text: string): Message {
  const at = message.content.findLastIndex((block) => block.type === "text");
  const block = message.content[at];
  if (block?.type !== "text") return { ...message, content: [...message.content, { type: "text", text }] };
  return { ...message, content: message.content.with(at, { type: "text", text: block.text + text }) };
}

/** A part of a message: a block, or a request that stands at this place (null while it is not loaded). */
export type Part =
  | Exclude<Block, { type: "request" }>
  | { type: "request"; id: string; request: Placed | null };

export type Entry =
  | { type: "message"; id: string; message: Message; parts: Part[] }
  | { type: "request"; id: string; request: Placed };

/**
 * The conversation in display order, every request once.
 *
 * What is held comes last, for it has not been said yet. A request is shown at its own `request` block; else after the `tool` block with its
 * `tool_call_id`; else after the message `message_id`; else by `seq`.
 */
export function entries(thread: Transcript): Entry[] {
  const messages = [...thread.messages].sort((a, b) => +!!a.held - +!!b.held || bySeq(a, b));
  const places = new Set(messages.flatMap(({ id, content }) => [`message ${id}`, ...content.map(placeOf)]));
  const held = new Map<string, Placed[]>();
  for (const request of [...thread.requests].sort(bySeq)) {
    const { id, tool_call_id, message_id } = request;
    const own = [`request ${id}`, `tool ${tool_call_id}`, `message ${message_id}`];
    const place = own.find((name) => places.has(name)) ?? "";
    held.set(place, [...(held.get(place) ?? []), request]);
  }
  const loose = held.get("") ?? [];
  const before = (seq: number) => loose.splice(0, loose.filter((request) => request.seq < seq).length);
  /** What stands at a place; a place that is named twice counts once. */
  const take = (place: string) => (places.delete(place) ? (held.get(place) ?? []) : []);
  const shown = messages.flatMap((message): Entry[] => [
    ...before(message.seq).map(entryOf),
    { type: "message", id: message.id, message, parts: partsOf(message, places, take) },
    ...take(`message ${message.id}`).map(entryOf),
  ]);
  return [...shown, ...loose.map(entryOf)];
}

function placeOf(block: Block): string {
  return `${block.type} ${block.type === "request" ? block.request_id : block.type === "tool" && block.tool_call_id}`;
}

function partsOf(message: Message, places: ReadonlySet<string>, take: (place: string) => Placed[]): Part[] {
  return message.content.flatMap((block): Part[] => {
    const place = placeOf(block);
    if (block.type === "request") {
      const { request_id: id } = block;
      return places.has(place) ? [{ type: "request", id, request: take(place)[0] ?? null }] : [];
    }
    return [block, ...(block.type === "tool" ? take(place).map(entryOf) : [])];
  });
}

const entryOf = (request: Placed) => ({ type: "request", id: request.id, request }) as const;
const bySeq = (a: { seq: number }, b: { seq: number }) => a.seq - b.seq;
