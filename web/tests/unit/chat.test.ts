import { expect, test } from "vitest";
import type { Message, MessagePart, ThreadRequest } from "../../src/core/generated/wire.ts";
import { type Entry, emptyThread, entries } from "../../src/core/transcript.ts";
import { entryHeaders } from "../../src/elements/chat/heads.ts";
import { groupToolCalls } from "../../src/elements/chat/tools.ts";

const NOON = Date.parse("2026-11-20T12:00:00Z");
const text = (words: string): MessagePart => ({ type: "text", text: words });
const tool = (name: string): MessagePart => ({ type: "tool", tool_call_id: name, name });

function message(seq: number, minutes: number, more: Partial<Message> = {}): Message {
  const at = new Date(NOON + minutes * 60_000).toISOString();
  const author = { id: "agt_1", name: "scaffolder" };
  return { id: `m${seq}`, seq, role: "agent", author, at, content: [text("Hello")], ...more };
}

const entriesOf = (...messages: Message[]): Entry[] => entries({ ...emptyThread("t1"), messages });
const firstOfRun = (entryList: Entry[]): boolean[] =>
  [...entryHeaders(entryList, { id: "usr_eva", name: "Eva", role: "responder" }).values()].map(
    ({ isFirst }) => isFirst,
  );

test("a name is above the first message of a group, and again after five minutes", () => {
  expect(firstOfRun(entriesOf(message(1, 0), message(2, 4), message(3, 10)))).toEqual([true, false, true]);
});

test("another writer, and another part of the same agent, begin a group", () => {
  const bob = { role: "user", author: { id: "usr_bob", name: "Bob" } } as const;
  const part = { agent: { name: "planner" } };
  expect(
    firstOfRun(entriesOf(message(1, 0), message(2, 0, bob), message(3, 0), message(4, 0, part))),
  ).toEqual([true, true, true, true]);
});

test("a request of the same agent belongs to its group", () => {
  const request = { id: "r1", seq: 2, requester: { id: "agt_1", name: "scaffolder" }, status: "pending" };
  const askedRequest = { ...request, created_at: new Date(NOON).toISOString() } as ThreadRequest;
  const allEntries = entries({
    ...emptyThread("t1"),
    messages: [message(1, 0), message(3, 1)],
    requests: [askedRequest],
  });
  expect(firstOfRun(allEntries)).toEqual([true, false, false]);
});

test("only what the reader wrote is their own, from whichever session", () => {
  const me = { id: "usr_2", user: "eva", name: "Eva", role: "responder" } as const;
  const ownMessage = { role: "user", author: { id: "usr_1", user: "eva", name: "Eva" } } as const;
  const otherMessage = { role: "user", author: { id: "usr_3", user: "bob", name: "Bob" } } as const;
  const heads = entryHeaders(
    entriesOf(message(1, 0), message(2, 0, ownMessage), message(3, 0, otherMessage)),
    me,
  );
  expect([...heads.values()].map(({ isOwn }) => isOwn)).toEqual([false, true, false]);
});

test("calls that follow each other are one step, whose name stays when another call comes", () => {
  const parts = (...content: MessagePart[]) =>
    entriesOf(message(1, 0, { content })).flatMap((entry) => (entry.type === "message" ? entry.parts : []));
  const names = (...content: MessagePart[]) =>
    groupToolCalls(parts(...content)).map(({ id, part }) => `${id} ${part.type}`);
  expect(names(text("a"), tool("x"))).toEqual(["text0 text", "tool1 tool"]);
  expect(names(text("a"), tool("x"), tool("y"), text("b"), tool("z"))).toEqual([
    "text0 text",
    "tool1 tools",
    "text3 text",
    "tool4 tool",
  ]);
});

/** The state that is shown of the call `x`, beside a request. */
function statusBeside(reported: "calling" | "failed", request: Partial<ThreadRequest>): string | undefined {
  const call: MessagePart = { type: "tool", tool_call_id: "x", name: "x", status: reported };
  const created_at = new Date(NOON).toISOString();
  const requests = [{ id: "r1", seq: 2, tool_call_id: "x", created_at, ...request } as ThreadRequest];
  const messages = [message(1, 0, { content: [call] })];
  const [entry] = entries({ ...emptyThread("t1"), messages, requests });
  const [first] = entry?.type === "message" ? groupToolCalls(entry.parts) : [];
  return first?.part.type === "tool" ? (first.part.status ?? undefined) : undefined;
}

test("a call that runs waits for a person while its request is open", () => {
  expect(statusBeside("calling", { status: "pending" })).toBe("waiting");
  expect(statusBeside("calling", { status: "answered" })).toBe("calling");
  expect(statusBeside("calling", { status: "pending", tool_call_id: "y" })).toBe("calling");
});

test("a call that was denied has not failed", () => {
  const decided = (decision: "approve" | "deny") =>
    statusBeside("failed", { status: "answered", answer: { decision } });
  expect([decided("approve"), decided("deny")]).toEqual(["failed", "denied"]);
  expect(statusBeside("failed", { status: "pending" })).toBe("failed");
});

test("a call whose approval ended before it was used was not run", () => {
  const beside = (request: Partial<ThreadRequest>) =>
    statusBeside("failed", { kind: "approval", ...request });
  for (const status of ["expired", "cancelled", "declined"] as const)
    expect(beside({ status })).toBe("not_run");
  const revoked = {
    reason: "changed",
    revoked_at: "2026-11-20T12:00:00Z",
  } as unknown as ThreadRequest["revoked"];
  expect(beside({ status: "answered", revoked })).toBe("not_run");
  expect(beside({ status: "answered", revoked, used_at: "2026-11-20T12:00:00Z" })).toBe("failed");
  expect(beside({ status: "answered" })).toBe("failed");
  expect(beside({ status: "pending" })).toBe("failed");
  expect(statusBeside("failed", { kind: "form", status: "expired" })).toBe("failed");
  expect(statusBeside("failed", { kind: "form", status: "cancelled" })).toBe("not_run");
});
