/** Applies one event to a conversation. */

import type { Message, MessageUpdate, ThreadRequest } from "./generated/wire.ts";
import { isNewer } from "./lifecycle.ts";
import { events, type PartEvent, type Transcript } from "./transcript.ts";

function advance(thread: Transcript, event: PartEvent): Transcript {
  const advancedThread = { ...thread, seq: event.seq };
  if ("run" in event) {
    const others = (thread.runs ?? []).filter(({ id }) => id !== event.run.id);
    return { ...advancedThread, runs: event.type === "run.started" ? [event.run, ...others] : others };
  }
  if ("message" in event) {
    // One that was held is delivered as the same message, and is shown where it was delivered.
    const others = thread.messages.filter(({ id }) => id !== event.message.id);
    return { ...advancedThread, messages: [...others, { ...event.message, seq: event.seq }] };
  }
  if ("update" in event) {
    const { id, content, tool_call } = event.update;
    return {
      ...advancedThread,
      messages: replace(thread.messages, id, (message) => update(message, content, tool_call)),
    };
  }
  if ("delta" in event) {
    const { id, text } = event.delta;
    return { ...advancedThread, messages: replace(thread.messages, id, (message) => extend(message, text)) };
  }
  const threadRequest = { ...event.request, seq: event.seq, level: thread.access?.level };
  return { ...advancedThread, requests: merge(thread.requests, threadRequest) };
}

function merge(requests: readonly ThreadRequest[], incoming: ThreadRequest): readonly ThreadRequest[] {
  if (!requests.some((request) => request.id === incoming.id)) return [...requests, incoming];
  return replace(requests, incoming.id, (existing) =>
    isNewer(incoming, existing) ? { ...incoming, seq: existing.seq } : existing,
  );
}

function replace<T extends { id: string }>(items: readonly T[], id: string, change: (item: T) => T): T[] {
  return items.map((item) => (item.id === id ? change(item) : item));
}

function extend(message: Message, text: string): Message {
  const block = message.content.at(-1);
  if (block?.type !== "text") return { ...message, content: [...message.content, { type: "text", text }] };
  return { ...message, content: message.content.with(-1, { type: "text", text: block.text + text }) };
}

/** A message with more parts at its end, or with what has become of a tool call in it. */
function update(
  message: Message,
  parts: MessageUpdate["content"],
  call: MessageUpdate["tool_call"],
): Message {
  const changedValues =
    call && Object.fromEntries(Object.entries(call).filter(([, value]) => value !== null));
  const content = message.content.map((block) =>
    block.type === "tool" && block.tool_call_id === call?.tool_call_id
      ? { ...block, ...changedValues }
      : block,
  );
  return { ...message, content: [...content, ...(parts ?? [])] };
}

Object.assign(events, { advance });
