import fc from "fast-check";
import { expect, test } from "vitest";
import type { InputRequest, Status } from "../../src/core/generated/wire.ts";
import { INITIAL, isOpen, reduce, type Signal, stateOf, type View } from "../../src/core/machine.ts";

const ENDS: Status[] = ["answered", "declined", "cancelled", "expired"];

function request(status: Status, revision = 1, id = "req_1"): InputRequest {
  return { id, kind: "form", thread_id: "t1", created_at: "2026-11-20T09:00:00.000Z", status, revision };
}

function viewAfter(...signals: Signal[]): View {
  return signals.reduce(reduce, INITIAL);
}

const pending: Signal = { type: "request", request: request("pending") };
const submit: Signal = { type: "submit", key: "k1" };
const fault = { path: "values.a", code: "required_missing", message: "This field is required." };

test("an answer goes from loading to the receipt", () => {
  expect(stateOf(INITIAL)).toBe("loading");
  expect(stateOf(viewAfter(pending))).toBe("pending");
  expect(stateOf(viewAfter(pending, submit))).toBe("submitting");
  const view = viewAfter(pending, submit, { type: "accepted", request: request("answered") });
  expect([stateOf(view), view.origin, view.key]).toEqual(["answered", "here", null]);
});

test("a second click while submitting changes nothing", () => {
  const view = viewAfter(pending, submit);
  expect(reduce(view, { type: "submit", key: "k2" })).toBe(view);
});

test("a refusal shows its errors and gives the next attempt a new key", () => {
  const refusedView = viewAfter(pending, submit, { type: "refused", errors: [fault], summary: "Invalid." });
  expect([stateOf(refusedView), refusedView.errors, refusedView.summary]).toEqual([
    "error",
    [fault],
    "Invalid.",
  ]);
  expect(reduce(refusedView, { type: "submit", key: "k2" })).toMatchObject({
    phase: "submitting",
    key: "k2",
    errors: [],
  });
});

test("a failed attempt is retried with the same key", () => {
  const failedView = viewAfter(pending, submit, { type: "failed", summary: "No connection." });
  expect([stateOf(failedView), isOpen(failedView)]).toEqual(["failed", true]);
  expect(failedView.key).toBe("k1");
  expect(reduce(failedView, submit)).toMatchObject({ phase: "submitting", key: "k1", summary: null });
});

test("what is being tried is on its way, and tried in vain it is open again with what was wrong", () => {
  const resolvingView = reduce(viewAfter(pending, submit), {
    type: "accepted",
    request: request("resolving"),
  });
  expect([stateOf(resolvingView), isOpen(resolvingView), resolvingView.key]).toEqual([
    "submitting",
    false,
    null,
  ]);
  const repromptedRequest = {
    ...request("pending", 2),
    field_errors: [fault],
    error_summary: "It was refused.",
  };
  const repromptedView = reduce(resolvingView, { type: "request", request: repromptedRequest });
  expect([stateOf(repromptedView), isOpen(repromptedView)]).toEqual(["error", true]);
  expect([repromptedView.errors, repromptedView.summary]).toEqual([[fault], "It was refused."]);
  expect(reduce(repromptedView, { type: "submit", key: "k2" })).toMatchObject({ errors: [], summary: null });
});

// requirement: N2
test("an answer from elsewhere is told from one's own, whichever message comes first", () => {
  const answeredRequest = request("answered");
  const event: Signal = { type: "request", request: answeredRequest };
  expect(viewAfter(pending, event).origin).toBe("elsewhere");
  expect(viewAfter(event).origin).toBe("");
  expect(viewAfter(pending, submit, { type: "conflict", request: answeredRequest }).origin).toBe("lost");
  expect(viewAfter(pending, submit, event, { type: "accepted", request: answeredRequest }).origin).toBe(
    "here",
  );
  expect(viewAfter(pending, submit, event, { type: "conflict", request: answeredRequest }).origin).toBe(
    "lost",
  );
});

// requirement: N2
test("an answer that was checked is one's own, in whatever order the messages come", () => {
  const acceptedSignal: Signal = { type: "accepted", request: request("resolving") };
  const resolvingSignal: Signal = { type: "request", request: request("resolving") };
  const endSignal: Signal = { type: "request", request: request("answered") };
  for (const order of [
    [acceptedSignal, endSignal],
    [resolvingSignal, acceptedSignal, endSignal],
    [acceptedSignal, resolvingSignal, endSignal],
    [resolvingSignal, endSignal, { type: "accepted", request: request("answered") } as Signal],
    [resolvingSignal, endSignal, acceptedSignal],
  ])
    expect(viewAfter(pending, submit, ...order).origin).toBe("here");
});

// requirement: N2
test("an answer whose reply is lost while it is checked has arrived, and a repeated reply says whose it was", () => {
  const resolvingSignal: Signal = { type: "request", request: request("resolving") };
  const view = viewAfter(pending, submit, resolvingSignal, { type: "failed" });
  expect([stateOf(view), view.key]).toEqual(["submitting", "k1"]);
  expect(reduce(view, { type: "accepted", request: request("resolving") }).origin).toBe("here");
});

// requirement: N2
test("an answer that was sent back and sent again is one's own", () => {
  const acceptedSignal: Signal = { type: "accepted", request: request("resolving") };
  const reopenedSignal: Signal = {
    type: "request",
    request: { ...request("pending", 2), field_errors: [fault] },
  };
  const repromptedView: Signal = { type: "accepted", request: request("resolving", 2) };
  const endSignal: Signal = { type: "request", request: request("answered", 2) };
  expect(viewAfter(pending, submit, acceptedSignal, reopenedSignal).origin).toBe("");
  expect(
    viewAfter(
      pending,
      submit,
      acceptedSignal,
      reopenedSignal,
      { ...submit, key: "k2" },
      repromptedView,
      endSignal,
    ).origin,
  ).toBe("here");
  // Somebody else sent what settled it, after one's own was sent back.
  expect(viewAfter(pending, submit, acceptedSignal, reopenedSignal, endSignal).origin).toBe("elsewhere");
});

// requirement: N2
test("what is checked for somebody else is not one's own", () => {
  const resolvingSignal: Signal = { type: "request", request: request("resolving") };
  const endSignal: Signal = { type: "request", request: request("answered") };
  expect(viewAfter(pending, resolvingSignal, endSignal).origin).toBe("elsewhere");
  expect(viewAfter(resolvingSignal, endSignal).origin).toBe("");
  const refusedView: Signal = { type: "conflict", request: request("resolving") };
  const lostView = viewAfter(pending, submit, refusedView);
  expect([stateOf(lostView), lostView.origin]).toEqual(["submitting", "lost"]);
  expect(reduce(lostView, endSignal).origin).toBe("lost");
  expect(reduce(lostView, { type: "request", request: request("pending", 2) }).origin).toBe("");
});

// requirement: N2
test("a vote that was taken is not lost when another one settles", () => {
  const endSignal: Signal = { type: "request", request: request("answered") };
  const view = viewAfter(pending, submit, { type: "accepted", request: votedRequest }, endSignal);
  expect(view.origin).toBe("elsewhere");
});

test("a conflict with a newer revision opens the form again", () => {
  const view = viewAfter(pending, submit, { type: "conflict", request: request("pending", 2) });
  expect([stateOf(view), view.request?.revision, view.key]).toEqual(["pending", 2, null]);
});

test("a conflict that brings nothing new ends the attempt", () => {
  expect(stateOf(viewAfter(pending, submit, { type: "conflict", request: request("pending") }))).toBe(
    "pending",
  );
});

test("disabled hides no change that comes meanwhile", () => {
  const readonlyView = viewAfter(pending, { type: "interactive", on: false });
  expect([stateOf(readonlyView), isOpen(readonlyView)]).toEqual(["disabled", false]);
  expect(reduce(readonlyView, submit)).toBe(readonlyView);
  const settledView = reduce(readonlyView, { type: "request", request: request("expired") });
  expect(stateOf(settledView)).toBe("expired");
  expect(stateOf(reduce(readonlyView, { type: "interactive", on: true }))).toBe("pending");
});

test("a reply leaves what the reader may do in the thread as it is", () => {
  const levelSignal: Signal = { type: "request", request: { ...request("pending"), level: "all" } };
  for (const type of ["accepted", "conflict"] as const) {
    const view = viewAfter(levelSignal, submit, { type, request: request("answered") });
    expect([view.phase, view.request?.level]).toEqual(["answered", "all"]);
  }
  const otherView = viewAfter(levelSignal, { type: "request", request: request("pending", 1, "req_2") });
  expect(otherView.request?.level).toBeUndefined();
});

test("another request starts over", () => {
  const view = viewAfter(
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
    fc.property(
      fc.array(anySignal),
      fc.constantFrom(...ENDS),
      fc.array(anySignal),
      (before, endSignal, later) => {
        const settledView = reduce(viewAfter(...before), { type: "request", request: request(endSignal) });
        const finally_ = later.reduce(reduce, settledView);
        expect(finally_.phase).toBe(settledView.phase);
        expect(finally_.request).toBe(settledView.request);
        expect(isOpen(finally_)).toBe(false);
      },
    ),
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
      const knownStates = history.slice(0, upTo);
      const reportedStates = order.filter((state) => knownStates.includes(state));
      const view = reportedStates
        .map((state): Signal => ({ type: "request", request: state }))
        .reduce(reduce, INITIAL);
      expect(view.request).toBe(knownStates.at(-1));
    }),
  );
});

const VOTE = {
  by: { id: "ses_2", name: "Bob" },
  decision: "approve" as const,
  at: "2026-11-20T09:01:00.000Z",
};
const votedRequest: InputRequest = { ...request("pending"), votes: [VOTE] };

test("somebody else's vote leaves what the person is doing as it is", () => {
  const refusedView = viewAfter(pending, submit, { type: "refused", errors: [fault] });
  const view = reduce(refusedView, { type: "request", request: votedRequest });
  expect([stateOf(view), view.errors, view.request]).toEqual(["error", [fault], votedRequest]);
  const sendingView = reduce(viewAfter(pending, submit), { type: "request", request: votedRequest });
  expect([stateOf(sendingView), sendingView.key]).toEqual(["submitting", "k1"]);
});

test("a vote that was taken leaves the request open and ends the attempt", () => {
  const view = viewAfter(pending, submit, { type: "accepted", request: votedRequest });
  expect([stateOf(view), view.key, view.request]).toEqual(["pending", null, votedRequest]);
  const viewAfterEvents = viewAfter(
    pending,
    submit,
    { type: "request", request: votedRequest },
    { type: "accepted", request: votedRequest },
  );
  expect([stateOf(viewAfterEvents), viewAfterEvents.key]).toEqual(["pending", null]);
});

test("a state with fewer votes is an earlier one", () => {
  const view = viewAfter({ type: "request", request: votedRequest });
  expect(reduce(view, pending)).toBe(view);
});

test("what comes after an approval is taken over, and nothing takes it back", () => {
  const approvedRequest = request("answered");
  const principal = { id: "ses_1", name: "Eva" };
  const revokedRequest = { ...approvedRequest, revoked: { at: "2026-11-20T09:05:00.000Z", by: principal } };
  const usedRequest = { ...approvedRequest, used_at: "2026-11-20T09:05:00.000Z" };
  for (const later of [revokedRequest, usedRequest]) {
    const view = viewAfter(
      pending,
      { type: "request", request: approvedRequest },
      { type: "request", request: later },
    );
    expect(view.request).toBe(later);
    expect(reduce(view, { type: "request", request: approvedRequest }).request).toBe(later);
    expect(reduce(view, { type: "request", request: request("cancelled") }).request).toBe(later);
  }
});
