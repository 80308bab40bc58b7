/**
 * A conversation as it is read: a snapshot, brought up to date by events.
 *
 * Events may come twice or out of order. One that is seen is ignored, one that is early is held
 * until those before it are there: `hasGap` says that some are missing, and then the reader asks
 * for a snapshot.
 */

import { isNewer } from "./revision.ts";
import type { Block, InputRequest, Message, ThreadEvent, ThreadSnapshot } from "./wire.ts";

export type Placed = InputRequest & { seq: number };

export interface Transcript {
  readonly id: string;
  readonly seq: number;
  readonly messages: readonly Message[];
  readonly requests: readonly Placed[];
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
  return drain({ ...thread, ...snapshot });
}

/** Take one event in; the same object comes back when it was seen before. */
export function applyEvent(thread: Transcript, event: ThreadEvent): Transcript {
  if (event.seq <= thread.seq || thread.early.has(event.seq)) return thread;
  if (event.seq > thread.seq + 1) return { ...thread, early: new Map(thread.early).set(event.seq, event) };
  return drain(advance(thread, event));
}

/** Whether events are missing between what was read and what has come. */
export function hasGap(thread: Transcript): boolean {
  return thread.early.size > 0;
}

function drain(thread: Transcript): Transcript {
  if (thread.early.size === 0) return thread;
  const early = new Map([...thread.early].filter(([seq]) => seq > thread.seq));
  let current: Transcript = { ...thread, early };
  for (let event = early.get(current.seq + 1); event; event = early.get(current.seq + 1)) {
    early.delete(event.seq);
    current = advance(current, event);
  }
  return current;
}

function advance(thread: Transcript, event: ThreadEvent): Transcript {
  const moved = { ...thread, seq: event.seq };
  if (event.type === "message.added") {
    return { ...moved, messages: [...thread.messages, { ...event.message, seq: event.seq }] };
  }
  if (event.type === "message.delta") {
    const { id, text } = event.delta;
    return { ...moved, messages: replace(thread.messages, id, (message) => extend(message, text)) };
  }
  return { ...moved, requests: merge(thread.requests, { ...event.request, seq: event.seq }) };
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
 * A request is shown at its own `request` block; else after the `tool` block with its
 * `tool_call_id`; else after the message `message_id`; else by `seq`.
 */
export function entries(thread: Transcript): Entry[] {
  const requests = [...thread.requests].sort(bySeq);
  const messages = [...thread.messages].sort(bySeq);
  const place = placement(requests, messages);
  const shown: Entry[] = [];
  const loose = place.loose[Symbol.iterator]();
  let waiting = loose.next();
  const pull = (before: number) => {
    for (; !waiting.done && waiting.value.seq < before; waiting = loose.next())
      shown.push(entryOf(waiting.value));
  };
  for (const message of messages) {
    pull(message.seq);
    shown.push({ type: "message", id: message.id, message, parts: partsOf(message, place) });
    shown.push(...(place.afterMessage.get(message.id) ?? []).map(entryOf));
  }
  pull(Number.POSITIVE_INFINITY);
  return shown;
}

interface Placement {
  byId: Map<string, Placed>;
  owner: Map<string, string>;
  afterTool: Map<string, Placed[]>;
  afterMessage: Map<string, Placed[]>;
  loose: Placed[];
}

function placement(requests: Placed[], messages: Message[]): Placement {
  const owner = new Map<string, string>();
  const tools = new Set<string>();
  for (const message of messages) {
    for (const block of message.content) {
      if (block.type === "request" && !owner.has(block.request_id)) owner.set(block.request_id, message.id);
      if (block.type === "tool") tools.add(block.tool_call_id);
    }
  }
  const known = new Set(messages.map((message) => message.id));
  const free = requests.filter((request) => !owner.has(request.id));
  const byTool = (request: Placed) => (tools.has(request.tool_call_id ?? "") ? request.tool_call_id : null);
  const byMessage = (request: Placed) =>
    !byTool(request) && known.has(request.message_id ?? "") ? request.message_id : null;
  return {
    byId: new Map(requests.map((request) => [request.id, request])),
    owner,
    afterTool: group(free, byTool),
    afterMessage: group(free, byMessage),
    loose: free.filter((request) => !byTool(request) && !byMessage(request)),
  };
}

function group(
  requests: Placed[],
  keyOf: (request: Placed) => string | null | undefined,
): Map<string, Placed[]> {
  const groups = new Map<string, Placed[]>();
  for (const request of requests) {
    const key = keyOf(request);
    if (key) groups.set(key, [...(groups.get(key) ?? []), request]);
  }
  return groups;
}

/** A tool or request that is named twice is shown at the first place; `take` empties the map as it goes. */
function partsOf(message: Message, place: Placement): Part[] {
  return message.content.flatMap((block): Part[] => {
    if (block.type === "request") {
      if (place.owner.get(block.request_id) !== message.id) return [];
      place.owner.delete(block.request_id);
      return [partOf(block.request_id, place.byId.get(block.request_id) ?? null)];
    }
    if (block.type !== "tool") return [block];
    const asked = place.afterTool.get(block.tool_call_id) ?? [];
    place.afterTool.delete(block.tool_call_id);
    return [block, ...asked.map((request) => partOf(request.id, request))];
  });
}

const partOf = (id: string, request: Placed | null): Part => ({ type: "request", id, request });
const entryOf = (request: Placed): Entry => ({ type: "request", id: request.id, request });
const bySeq = (a: { seq: number }, b: { seq: number }) => a.seq - b.seq;
