import fc from "fast-check";
import { expect, test } from "vitest";
import type { InputRequest, Status } from "../../src/core/generated/wire.ts";
import { INITIAL, isOpen, reduce, type Signal, stateOf, type View } from "../../src/core/machine.ts";

const ENDS: Status[] = ["answered", "declined", "cancelled", "expired"];

function request(status: Status, revision = 1, id = "req_1"): InputRequest {
  return { id, kind: "form", thread_id: "t1", created_at: "2026-11-20T09:00:00.000Z", status, revision };
}

function after(...signals: Signal[]): View {
  return signals.reduce(reduce, INITIAL);
}

const pending: Signal = { type: "request", request: request("pending") };
const submit: Signal = { type: "submit", key: "k1" };
const fault = { path: "values.a", code: "required_missing", message: "This field is required." };

test("an answer goes from loading to the receipt", () => {
  expect(stateOf(INITIAL)).toBe("loading");
  expect(stateOf(after(pending))).toBe("pending");
  expect(stateOf(after(pending, submit))).toBe("submitting");
  const view = after(pending, submit, { type: "accepted", request: request("answered") });
  expect([stateOf(view), view.origin, view.key]).toEqual(["answered", "here", null]);
});

test("a second click while submitting changes nothing", () => {
  const view = after(pending, submit);
  expect(reduce(view, { type: "submit", key: "k2" })).toBe(view);
});

test("a refusal shows its errors and gives the next attempt a new key", () => {
  const refused = after(pending, submit, { type: "refused", errors: [fault], summary: "Invalid." });
  expect([stateOf(refused), refused.errors, refused.summary]).toEqual(["error", [fault], "Invalid."]);
  expect(reduce(refused, { type: "submit", key: "k2" })).toMatchObject({
    phase: "submitting",
    key: "k2",
    errors: [],
  });
});

test("a failed attempt is retried with the same key", () => {
  const failed = after(pending, submit, { type: "failed", summary: "No connection." });
  expect([stateOf(failed), isOpen(failed)]).toEqual(["failed", true]);
  expect(failed.key).toBe("k1");
  expect(reduce(failed, submit)).toMatchObject({ phase: "submitting", key: "k1", summary: null });
});

test("what is being tried is on its way, and tried in vain it is open again with what was wrong", () => {
  const resolving = reduce(after(pending, submit), { type: "accepted", request: request("resolving") });
  expect([stateOf(resolving), isOpen(resolving), resolving.key]).toEqual(["submitting", false, null]);
  const asked = { ...request("pending", 2), field_errors: [fault], error_summary: "It was refused." };
  const again = reduce(resolving, { type: "request", request: asked });
  expect([stateOf(again), isOpen(again)]).toEqual(["error", true]);
  expect([again.errors, again.summary]).toEqual([[fault], "It was refused."]);
  expect(reduce(again, { type: "submit", key: "k2" })).toMatchObject({ errors: [], summary: null });
});

// requirement: N2
test("an answer from elsewhere is told from one's own, whichever message comes first", () => {
  const answered = request("answered");
  const event: Signal = { type: "request", request: answered };
  expect(after(pending, event).origin).toBe("elsewhere");
  expect(after(event).origin).toBe("");
  expect(after(pending, submit, { type: "conflict", request: answered }).origin).toBe("lost");
  expect(after(pending, submit, event, { type: "accepted", request: answered }).origin).toBe("here");
  expect(after(pending, submit, event, { type: "conflict", request: answered }).origin).toBe("lost");
});

// requirement: N2
test("an answer that was checked is one's own, in whatever order the messages come", () => {
  const accepted: Signal = { type: "accepted", request: request("resolving") };
  const checked: Signal = { type: "request", request: request("resolving") };
  const end: Signal = { type: "request", request: request("answered") };
  for (const order of [
    [accepted, end],
    [checked, accepted, end],
    [accepted, checked, end],
    [checked, end, { type: "accepted", request: request("answered") } as Signal],
    [checked, end, accepted],
  ])
    expect(after(pending, submit, ...order).origin).toBe("here");
});

// requirement: N2
test("an answer whose reply is lost while it is checked has arrived, and a repeated reply says whose it was", () => {
  const checked: Signal = { type: "request", request: request("resolving") };
  const view = after(pending, submit, checked, { type: "failed" });
  expect([stateOf(view), view.key]).toEqual(["submitting", "k1"]);
  expect(reduce(view, { type: "accepted", request: request("resolving") }).origin).toBe("here");
});

// requirement: N2
test("an answer that was sent back and sent again is one's own", () => {
  const accepted: Signal = { type: "accepted", request: request("resolving") };
  const back: Signal = { type: "request", request: { ...request("pending", 2), field_errors: [fault] } };
  const again: Signal = { type: "accepted", request: request("resolving", 2) };
  const end: Signal = { type: "request", request: request("answered", 2) };
  expect(after(pending, submit, accepted, back).origin).toBe("");
  expect(after(pending, submit, accepted, back, { ...submit, key: "k2" }, again, end).origin).toBe("here");
  // Somebody else sent what settled it, after one's own was sent back.
  expect(after(pending, submit, accepted, back, end).origin).toBe("elsewhere");
});

// requirement: N2
test("what is checked for somebody else is not one's own", () => {
  const checked: Signal = { type: "request", request: request("resolving") };
  const end: Signal = { type: "request", request: request("answered") };
  expect(after(pending, checked, end).origin).toBe("elsewhere");
  expect(after(checked, end).origin).toBe("");
  const refused: Signal = { type: "conflict", request: request("resolving") };
  const lost = after(pending, submit, refused);
  expect([stateOf(lost), lost.origin]).toEqual(["submitting", "lost"]);
  expect(reduce(lost, end).origin).toBe("lost");
  expect(reduce(lost, { type: "request", request: request("pending", 2) }).origin).toBe("");
});

// requirement: N2
test("a vote that was taken is not lost when another one settles", () => {
  const end: Signal = { type: "request", request: request("answered") };
  const view = after(pending, submit, { type: "accepted", request: voted }, end);
  expect(view.origin).toBe("elsewhere");
});

test("a conflict with a newer revision opens the form again", () => {
  const view = after(pending, submit, { type: "conflict", request: request("pending", 2) });
  expect([stateOf(view), view.request?.revision, view.key]).toEqual(["pending", 2, null]);
});

test("a conflict that brings nothing new ends the attempt", () => {
  expect(stateOf(after(pending, submit, { type: "conflict", request: request("pending") }))).toBe("pending");
});

test("disabled hides no change that comes meanwhile", () => {
  const off = after(pending, { type: "interactive", on: false });
  expect([stateOf(off), isOpen(off)]).toEqual(["disabled", false]);
  expect(reduce(off, submit)).toBe(off);
  const settled = reduce(off, { type: "request", request: request("expired") });
  expect(stateOf(settled)).toBe("expired");
  expect(stateOf(reduce(off, { type: "interactive", on: true }))).toBe("pending");
});

test("a reply leaves what the reader may do in the thread as it is", () => {
  const shown: Signal = { type: "request", request: { ...request("pending"), level: "all" } };
  for (const type of ["accepted", "conflict"] as const) {
    const view = after(shown, submit, { type, request: request("answered") });
    expect([view.phase, view.request?.level]).toEqual(["answered", "all"]);
  }
  const other = after(shown, { type: "request", request: request("pending", 1, "req_2") });
  expect(other.request?.level).toBeUndefined();
});

test("another request starts over", () => {
  const view = after(
    { type: "request", request: request("answered") },
    { type: "request", request: request("pending", 1, "req_2") },
  );
  expect([stateOf(view), view.origin]).toEqual(["pending", ""]);
});

const anyRequest = fc
  .record({
    status: fc.constantFrom<Status>("pending", "resolving", ...ENDS),
    revision: fc.integer({ min: 1, max: 4 }),
  })
  .map(({ status, revision }) => request(status, revision));

const anySignal: fc.Arbitrary<Signal> = fc.oneof(
  fc.record({ type: fc.constantFrom("request", "accepted", "conflict"), request: anyRequest }),
  fc.record({ type: fc.constant("submit"), key: fc.constantFrom("k1", "k2") }),
  fc.record({ type: fc.constant("failed") }),
  fc.record({ type: fc.constant("refused"), errors: fc.constant([fault]) }),
  fc.record({ type: fc.constant("interactive"), on: fc.boolean() }),
) as fc.Arbitrary<Signal>;

test("an end absorbs every signal", () => {
  fc.assert(
    fc.property(fc.array(anySignal), fc.constantFrom(...ENDS), fc.array(anySignal), (before, end, later) => {
      const settled = reduce(after(...before), { type: "request", request: request(end) });
      const finally_ = later.reduce(reduce, settled);
      expect(finally_.phase).toBe(settled.phase);
      expect(finally_.request).toBe(settled.request);
      expect(isOpen(finally_)).toBe(false);
    }),
  );
});

test("states of one request lead to the same view in whatever order and however often they come", () => {
  const history = [
    request("pending", 1),
    request("resolving", 1),
    request("pending", 2),
    request("answered", 2),
  ];
  const shuffled = fc.shuffledSubarray([...history, ...history], { minLength: 8 });
  fc.assert(
    fc.property(shuffled, fc.integer({ min: 1, max: 4 }), (order, upTo) => {
      const known = history.slice(0, upTo);
      const heard = order.filter((state) => known.includes(state));
      const view = heard
        .map((state): Signal => ({ type: "request", request: state }))
        .reduce(reduce, INITIAL);
      expect(view.request).toBe(known.at(-1));
    }),
  );
});

const VOTE = {
  by: { id: "ses_2", name: "Bob" },
  decision: "approve" as const,
  at: "2026-11-20T09:01:00.000Z",
};
const voted: InputRequest = { ...request("pending"), votes: [VOTE] };

test("somebody else's vote leaves what the person is doing as it is", () => {
  const refused = after(pending, submit, { type: "refused", errors: [fault] });
  const view = reduce(refused, { type: "request", request: voted });
  expect([stateOf(view), view.errors, view.request]).toEqual(["error", [fault], voted]);
  const sending = reduce(after(pending, submit), { type: "request", request: voted });
  expect([stateOf(sending), sending.key]).toEqual(["submitting", "k1"]);
});

test("a vote that was taken leaves the request open and ends the attempt", () => {
  const view = after(pending, submit, { type: "accepted", request: voted });
  expect([stateOf(view), view.key, view.request]).toEqual(["pending", null, voted]);
  const told = after(
    pending,
    submit,
    { type: "request", request: voted },
    { type: "accepted", request: voted },
  );
  expect([stateOf(told), told.key]).toEqual(["pending", null]);
});

test("a state with fewer votes is an earlier one", () => {
  const view = after({ type: "request", request: voted });
  expect(reduce(view, pending)).toBe(view);
});

test("what comes after an approval is taken over, and nothing takes it back", () => {
  const approved = request("answered");
  const by = { id: "ses_1", name: "Eva" };
  const revoked = { ...approved, revoked: { at: "2026-11-20T09:05:00.000Z", by } };
  const used = { ...approved, used_at: "2026-11-20T09:05:00.000Z" };
  for (const later of [revoked, used]) {
    const view = after(pending, { type: "request", request: approved }, { type: "request", request: later });
    expect(view.request).toBe(later);
    expect(reduce(view, { type: "request", request: approved }).request).toBe(later);
    expect(reduce(view, { type: "request", request: request("cancelled") }).request).toBe(later);
  }
});
