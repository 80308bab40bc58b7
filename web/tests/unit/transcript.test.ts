import fc from "fast-check";
import { expect, test } from "vitest";
import type {
  ArchiveEvent,
  InputRequest,
  Level,
  MessagePart,
  MessageUpdate,
  RequestEvent,
  Run,
  RunEvent,
  Status,
  ThreadEvent,
  ThreadRequest,
  ThreadSnapshot,
} from "../../src/core/generated/wire.ts";
import "../../src/core/events.ts";
import {
  addRequests,
  applyInboxEvent,
  applyShared,
  EMPTY_INBOX,
  type Inbox,
  waitingRequests,
} from "../../src/core/inbox.ts";
import {
  adoptSnapshot,
  applyEvent,
  emptyThread,
  entries,
  hasGap,
  type Transcript,
} from "../../src/core/transcript.ts";

const AT = "2026-11-20T09:00:00.000Z";

function request(id: string, members: Partial<InputRequest> = {}): InputRequest {
  return { id, kind: "form", thread_id: "t1", created_at: AT, status: "pending", revision: 1, ...members };
}

function requestEvent(seq: number, id: string, members: Partial<InputRequest> = {}): RequestEvent {
  const status = members.status ?? "pending";
  const type = `request.${status === "pending" ? "created" : status}` as RequestEvent["type"];
  return { type, seq, position: seq * 10, thread_id: "t1", at: AT, request: request(id, members) };
}

function messageEvent(seq: number, id: string, ...content: MessagePart[]): ThreadEvent {
  const message = { id, role: "agent" as const, at: AT, content };
  return { type: "message.added", seq, position: seq * 10, thread_id: "t1", at: AT, message };
}

function delta(seq: number, id: string, text: string): ThreadEvent {
  return { type: "message.delta", seq, position: seq * 10, thread_id: "t1", at: AT, delta: { id, text } };
}

function messageUpdated(seq: number, id: string, members: Partial<MessageUpdate>): ThreadEvent {
  const update = { id, ...members };
  return { type: "message.updated", seq, position: seq * 10, thread_id: "t1", at: AT, update };
}

const NEW: Pick<ThreadSnapshot, "access" | "free_text" | "runs"> = {
  access: { level: "all" },
  free_text: "ignore",
  runs: [],
};

function read(...events: ThreadEvent[]): Transcript {
  return events.reduce(applyEvent, { ...emptyThread("t1"), ...NEW });
}

/** The order in words: `m1[text req_1]` is a message with its parts, `req_2` a request of its own. */
function order(thread: Transcript): string[] {
  return entries(thread).map((entry) => {
    if (entry.type === "request") return entry.id;
    return `${entry.id}[${entry.parts.map((part) => (part.type === "request" ? part.id : part.type)).join(" ")}]`;
  });
}

const text: MessagePart = { type: "text", text: "Hello" };
const tool = (id: string): MessagePart => ({ type: "tool", tool_call_id: id, name: "ask" });

test("a request is at its own block before all other places", () => {
  const thread = read(
    messageEvent(1, "m1", text, { type: "request", request_id: "r1" }, text),
    messageEvent(2, "m2", tool("tc1")),
    requestEvent(3, "r1", { tool_call_id: "tc1", message_id: "m2" }),
  );
  expect(order(thread)).toEqual(["m1[text r1 text]", "m2[tool]"]);
});

test("a request is after the tool call that asked, then after its message, then by time", () => {
  const thread = read(
    messageEvent(1, "m1", tool("tc1"), text),
    requestEvent(2, "r_free"),
    messageEvent(3, "m2", text),
    requestEvent(4, "r_tool", { tool_call_id: "tc1" }),
    requestEvent(5, "r_message", { message_id: "m1" }),
    requestEvent(6, "r_lost", { tool_call_id: "tc9", message_id: "m9" }),
  );
  expect(order(thread)).toEqual(["m1[tool r_tool text]", "r_message", "r_free", "m2[text]", "r_lost"]);
});

test("a standalone request is in no message, and comes last while it is open", () => {
  const standaloneMembers = { tool_call_id: "tc1", message_id: "m1", presentation: "standalone" } as const;
  const openThread = read(
    messageEvent(1, "m1", tool("tc1")),
    requestEvent(2, "r1", standaloneMembers),
    messageEvent(3, "m2", text),
    requestEvent(4, "r2"),
  );
  expect(order(openThread)).toEqual(["m1[tool]", "m2[text]", "r2", "r1"]);
  const ended = applyEvent(openThread, requestEvent(5, "r1", { ...standaloneMembers, status: "answered" }));
  expect(order(ended)).toEqual(["m1[tool]", "r1", "m2[text]", "r2"]);
});

test("a request that is shown apart is left out", () => {
  const thread = read(messageEvent(1, "m1", text), requestEvent(2, "r1"), requestEvent(3, "r2"));
  expect(entries(thread, "r1").map(({ id }) => id)).toEqual(["m1", "r2"]);
});

test("a request that is named twice is shown once", () => {
  const block: MessagePart = { type: "request", request_id: "r1" };
  expect(
    order(read(messageEvent(1, "m1", block, block), messageEvent(2, "m2", block), requestEvent(3, "r1"))),
  ).toEqual(["m1[r1]", "m2[]"]);
});

test("a block of a request that is not loaded keeps its place", () => {
  const thread = read(messageEvent(1, "m1", { type: "request", request_id: "r1" }));
  expect(entries(thread)[0]).toMatchObject({ parts: [{ type: "request", id: "r1", request: null }] });
});

test("an answer leaves the request where it was asked", () => {
  const thread = read(
    requestEvent(1, "r1"),
    messageEvent(2, "m1", text),
    requestEvent(3, "r1", { status: "answered" }),
  );
  expect(order(thread)).toEqual(["r1", "m1[text]"]);
  expect(thread.requests).toMatchObject([{ status: "answered", seq: 1 }]);
});

test("a delta extends the last text block", () => {
  const thread = read(
    messageEvent(1, "m1", text, tool("tc1")),
    delta(2, "m1", ", you"),
    messageEvent(3, "m2", tool("tc2")),
    delta(4, "m2", "Hi"),
  );
  expect(thread.messages.map((message) => message.content)).toEqual([
    [{ type: "text", text: "Hello" }, tool("tc1"), { type: "text", text: ", you" }],
    [tool("tc2"), { type: "text", text: "Hi" }],
  ]);
});

test("an event that comes too early is a gap until the missing one is there", () => {
  const transcriptWithGap = read(messageEvent(1, "m1", text), delta(3, "m1", "c"));
  expect([transcriptWithGap.seq, hasGap(transcriptWithGap)]).toEqual([1, true]);
  const repeatedTranscript = applyEvent(transcriptWithGap, delta(2, "m1", "b"));
  expect([
    repeatedTranscript.seq,
    hasGap(repeatedTranscript),
    repeatedTranscript.messages[0]?.content,
  ]).toEqual([3, false, [{ type: "text", text: "Hellobc" }]]);
});

test("a snapshot closes a gap, and an old one changes nothing", () => {
  const transcriptWithGap = read(messageEvent(1, "m1", text), delta(4, "m1", "!"));
  const content: MessagePart[] = [{ type: "text", text: "Hello you" }];
  const message = { id: "m1", seq: 1, role: "agent" as const, at: AT, content };
  const repeatedTranscript = adoptSnapshot(transcriptWithGap, {
    ...NEW,
    id: "t1",
    seq: 3,
    messages: [message],
    requests: [],
  });
  expect([
    repeatedTranscript.seq,
    hasGap(repeatedTranscript),
    repeatedTranscript.messages[0]?.content,
  ]).toEqual([4, false, [{ type: "text", text: "Hello you!" }]]);
  expect(adoptSnapshot(repeatedTranscript, { ...NEW, id: "t1", seq: 2, messages: [], requests: [] })).toBe(
    repeatedTranscript,
  );
});

const HISTORY: ThreadEvent[] = [
  messageEvent(1, "m1", text, tool("tc1")),
  requestEvent(2, "r1", { tool_call_id: "tc1" }),
  delta(3, "m1", " there"),
  requestEvent(4, "r2"),
  requestEvent(5, "r1", { status: "answered" }),
  messageEvent(6, "m2", text),
  delta(7, "m2", "!"),
  requestEvent(8, "r2", { status: "cancelled" }),
];

const repeatedHistory = fc.shuffledSubarray([...HISTORY, ...HISTORY], { minLength: 16 });

test("events converge in whatever order and however often they come", () => {
  const expected = read(...HISTORY);
  fc.assert(
    fc.property(repeatedHistory, (events) => {
      expect(read(...events)).toEqual(expected);
    }),
  );
});

test("a snapshot at any moment converges with the events around it", () => {
  const expected = read(...HISTORY);
  fc.assert(
    fc.property(repeatedHistory, fc.nat(16), fc.nat(HISTORY.length), (events, when, seq) => {
      const { early: _, ...snapshot } = read(...HISTORY.slice(0, seq));
      const startedThread = events.slice(0, when).reduce(applyEvent, read());
      const adoptedThread = adoptSnapshot(startedThread, {
        ...NEW,
        ...snapshot,
        messages: [...snapshot.messages],
        requests: [...snapshot.requests],
      });
      expect(events.slice(when).reduce(applyEvent, adoptedThread)).toEqual(expected);
    }),
  );
});

/** What a reader with a level reads of a thread. */
const snapshot = (level: Level, seq: number, ...requests: ThreadRequest[]): ThreadSnapshot => ({
  id: "t1",
  seq,
  messages: [],
  requests,
  access: { level },
  free_text: "ignore",
  runs: [],
});
const placedRequest = (seq: number, id: string): ThreadRequest => ({ ...request(id), seq });
const eventMembers = (seq: number) => ({ seq, position: seq * 10, thread_id: "t1", at: AT });
const archiveEvent = (type: ArchiveEvent["type"], seq: number): ThreadEvent => ({
  ...eventMembers(seq),
  type,
  by: null,
});
const shareEvent = (seq: number): ThreadEvent => ({
  ...eventMembers(seq),
  type: "thread.access",
  access: { others: "all", people: {} },
});

test("a conversation says which runs have not ended", () => {
  const run = (id: string): Run => ({
    id,
    thread_id: "t1",
    agent: "agt_1",
    status: "running",
    started_at: AT,
  });
  const runEvent = (type: RunEvent["type"], seq: number, id: string): RunEvent => ({
    ...eventMembers(seq),
    type,
    run: run(id),
  });
  const threadWithRun = adoptSnapshot(emptyThread("t1"), { ...snapshot("all", 1), runs: [run("r1")] });
  const threadWithRuns = applyEvent(threadWithRun, runEvent("run.started", 2, "r2"));
  expect([threadWithRuns.seq, threadWithRuns.runs]).toEqual([2, [run("r2"), run("r1")]]);
  const endEvents = ["r1", "r2"].map((id, index) => runEvent("run.ended", 3 + index, id));
  expect(endEvents.reduce(applyEvent, threadWithRuns)).toMatchObject({ seq: 4, runs: [] });
});

test("each request says what its reader may do in the thread", () => {
  const thread = adoptSnapshot(emptyThread("t1"), snapshot("view", 1, placedRequest(1, "r1")));
  const threadAfterEvent = applyEvent(thread, requestEvent(2, "r2"));
  expect(threadAfterEvent.requests.map(({ id, level }) => [id, level])).toEqual([
    ["r1", "view"],
    ["r2", "view"],
  ]);
});

test("the reader's access is read again after it has changed, and nothing is lost meanwhile", () => {
  const threadBefore = adoptSnapshot(emptyThread("t1"), snapshot("view", 1, placedRequest(1, "r1")));
  const changedThread = [shareEvent(2), requestEvent(3, "r2")].reduce(applyEvent, threadBefore);
  expect([hasGap(changedThread), changedThread.seq]).toEqual([true, 1]);
  const threadAfter = adoptSnapshot(changedThread, snapshot("prompt", 2, placedRequest(1, "r1")));
  expect([hasGap(threadAfter), threadAfter.seq]).toEqual([false, 3]);
  expect(threadAfter.requests.map(({ level }) => level)).toEqual(["prompt", "prompt"]);
});

test("an archived thread is read again, and once more when it is restored", () => {
  const threadBefore = adoptSnapshot(emptyThread("t1"), snapshot("all", 1, placedRequest(1, "r1")));
  const archivedThread = applyEvent(threadBefore, archiveEvent("thread.archived", 2));
  expect([hasGap(archivedThread), archivedThread.requests]).toEqual([true, threadBefore.requests]);
  const threadReadAgain = adoptSnapshot(archivedThread, { ...snapshot("all", 2), archived_at: AT });
  expect([hasGap(threadReadAgain), threadReadAgain.archived_at]).toEqual([false, AT]);
  const unarchivedThread = adoptSnapshot(
    applyEvent(threadReadAgain, archiveEvent("thread.unarchived", 3)),
    snapshot("all", 3),
  );
  expect([hasGap(unarchivedThread), unarchivedThread.archived_at]).toEqual([false, undefined]);
});

test("a message that is held comes last, and where it was delivered once it is", () => {
  const heldMessage = { id: "m1", role: "user" as const, at: AT, content: [text], held: true };
  const threadBefore = read(
    { type: "message.held", seq: 1, position: 10, thread_id: "t1", at: AT, message: heldMessage },
    requestEvent(2, "r1"),
    messageEvent(3, "m2", text),
  );
  expect(order(threadBefore)).toEqual(["r1", "m2[text]", "m1[text]"]);
  const threadAfter = [messageEvent(4, "m1", text), messageEvent(5, "m3", text)].reduce(
    applyEvent,
    threadBefore,
  );
  expect(order(threadAfter)).toEqual(["r1", "m2[text]", "m1[text]", "m3[text]"]);
  expect(threadAfter.messages.map(({ id, held: heldMessage }) => [id, heldMessage])).toEqual([
    ["m2", undefined],
    ["m1", undefined],
    ["m3", undefined],
  ]);
});

test("what comes forward is later than what stood in line, whichever is heard first", () => {
  const queuedRequest = requestEvent(1, "r1", { queued_behind: true });
  const laterEvent = requestEvent(2, "r1");
  for (const events of [
    [queuedRequest, laterEvent],
    [laterEvent, queuedRequest],
  ]) {
    const inbox = events.reduce(applyInboxEvent, EMPTY_INBOX);
    expect(waitingRequests(inbox)).toEqual([laterEvent.request]);
  }
  expect(waitingRequests(applyInboxEvent(EMPTY_INBOX, queuedRequest))).toEqual([]);
});

test("the inbox shows what waits, newest first, whatever the order of events", () => {
  const events = [
    requestEvent(1, "r1", { created_at: "2026-11-20T09:00:01.000Z" }),
    requestEvent(2, "r2", { created_at: "2026-11-20T09:00:02.000Z" }),
    requestEvent(3, "r3", { created_at: "2026-11-20T09:00:03.000Z" }),
    requestEvent(4, "r2", { created_at: "2026-11-20T09:00:02.000Z", status: "expired" }),
  ];
  fc.assert(
    fc.property(fc.shuffledSubarray([...events, ...events], { minLength: 8 }), (shuffled) => {
      const inbox = shuffled.reduce(applyInboxEvent, EMPTY_INBOX);
      expect([inbox.position, waitingRequests(inbox).map(({ id }) => id)]).toEqual([40, ["r3", "r1"]]);
    }),
  );
});

test("the inbox knows what its reader may do in each thread, and shows nothing of a hidden one", () => {
  const levels = (inbox: Inbox) => waitingRequests(inbox).map(({ id, level }) => [id, level]);
  const inboxState = addRequests(EMPTY_INBOX, [request("r1", { level: "view" })]);
  const threadAfterEvent = addRequests(inboxState, [
    request("r2", { level: "view", thread_id: "t2", created_at: "2026-11-21" }),
  ]);
  const changedThread = applyShared(threadAfterEvent, { thread_id: "t1", level: "prompt" });
  expect(levels(changedThread)).toEqual([
    ["r2", "view"],
    ["r1", "prompt"],
  ]);
  expect(levels(addRequests(changedThread, [request("r1", { level: "all" })]))).toContainEqual(["r1", "all"]);
  expect(levels(addRequests(changedThread, [request("r1", { status: "resolving" })]))).toContainEqual([
    "r1",
    "prompt",
  ]);
  expect(levels(addRequests(changedThread, [request("r1", { status: "answered" })]))).toEqual([
    ["r2", "view"],
  ]);
  expect(levels(applyShared(changedThread, { thread_id: "t1", level: "none" }))).toEqual([["r2", "view"]]);
});

test("a list that is older than an event does not bring a request back", () => {
  const ended = applyInboxEvent(EMPTY_INBOX, requestEvent(2, "r1", { status: "answered" as Status }));
  expect(waitingRequests(addRequests(ended, [request("r1")]))).toEqual([]);
});

test("a message grows in order, and what becomes of a tool call is seen in its place", () => {
  const call = { type: "tool", tool_call_id: "c1", name: "bash", status: "calling" } as const;
  const thread = read(
    messageEvent(1, "m1", { type: "text", text: "One." }),
    messageUpdated(2, "m1", { content: [call, { type: "request", request_id: "req_1" }] }),
    delta(3, "m1", " Two"),
    delta(4, "m1", "."),
    messageUpdated(5, "m1", {
      tool_call: { tool_call_id: "c1", status: "done", result: [0], duration_ms: 12 },
    }),
    messageUpdated(6, "m1", { tool_call: { tool_call_id: "other", status: "failed" } }),
  );
  expect(thread.messages[0]?.content).toEqual([
    { type: "text", text: "One." },
    { ...call, status: "done", result: [0], duration_ms: 12 },
    { type: "request", request_id: "req_1" },
    { type: "text", text: " Two." },
  ]);
});
