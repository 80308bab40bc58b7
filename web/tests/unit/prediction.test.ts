import { expect, test } from "vitest";
import type { Form, FreeText, InputRequest, Json, ThreadRequest } from "../../src/core/generated/wire.ts";
import { emptyThread, type Transcript } from "../../src/core/transcript.ts";
import { explainMismatch, predictOutcome, type Writer } from "../../src/elements/composer/prediction.ts";
import "../../src/elements/rules/faults.ts";

const TEXT: Form = { fields: [{ id: "a", type: "text", label: "A", max_length: 4 }] };
const CHOICE: Form = {
  fields: [{ id: "a", type: "radio", label: "A", options: [{ value: "s", label: "Small" }] }],
};
const eva: Writer = {
  getText: (key, params) => [key, params?.count].filter(Boolean).join(" "),
  locale: "en",
  me: { id: "ses_1", name: "Eva", user: "eva" },
};

const threadRequest = (form: Form | null, members: Partial<InputRequest> = {}): ThreadRequest => ({
  id: `r${Math.random()}`,
  seq: 1,
  kind: form ? "form" : "approval",
  form,
  thread_id: "t1",
  created_at: "2026-11-20T09:00:00.000Z",
  status: "pending",
  revision: 1,
  ...members,
});
const thread = (free_text: FreeText, ...requests: ThreadRequest[]): Transcript => ({
  ...emptyThread("t1"),
  free_text,
  requests,
});

test.each<[FreeText, ThreadRequest[], string | undefined]>([
  ["ignore", [threadRequest(TEXT)], "composer.answers_nothing 1"],
  ["queue", [threadRequest(null)], "composer.queue"],
  ["queue", [threadRequest(TEXT, { status: "answered" })], undefined],
  ["queue", [threadRequest(TEXT, { queued_behind: true })], undefined],
  ["block_input", [threadRequest(TEXT, { status: "resolving" })], "composer.answer_first"],
  ["cancel_pending", [threadRequest(null)], "composer.answers_nothing 1"],
  ["cancel_pending", [threadRequest(null), threadRequest(TEXT)], "composer.closes 1"],
  ["cancel_pending", [threadRequest(TEXT), threadRequest(TEXT)], "composer.closes 2"],
  ["answer", [threadRequest(TEXT)], "composer.answers"],
  ["answer", [threadRequest(CHOICE)], "composer.answers_option"],
  ["answer", [threadRequest(null)], "composer.answers_nothing 1"],
  ["answer", [threadRequest(TEXT), threadRequest(TEXT)], "composer.answers_nothing 2"],
  ["answer", [threadRequest(TEXT, { assignees: ["Dora"] })], "composer.answers_nothing 1"],
  ["answer", [threadRequest(TEXT, { assignees: ["eva"] })], "composer.answers"],
])("%s, with what is open, predicts %#", (policy, requests, words) => {
  expect(predictOutcome(thread(policy, ...requests), eva)).toBe(words);
});

test("a message stops an agent whose run says so, and withdraws its requests", () => {
  const run = { id: "run_1", thread_id: "t1", agent: "agt_1", status: "running", started_at: "" } as const;
  const outcome = (metadata: Json, ...requests: ThreadRequest[]) =>
    predictOutcome({ ...thread("ignore", ...requests), runs: [run, { ...run, metadata }] }, eva);
  expect(outcome({ message_stops: true }, threadRequest(null))).toBe("composer.stops 1");
  expect(outcome({ message_stops: true })).toBeUndefined();
  for (const metadata of [null, "message_stops", { message_stops: 1 }])
    expect(outcome(metadata, threadRequest(null))).toBe("composer.answers_nothing 1");
});

test("a text that is no answer says why, where it was meant to be one", () => {
  expect(explainMismatch(thread("answer", threadRequest(CHOICE)), "later", eva)).toBe(
    "composer.not_an_option",
  );
  expect(explainMismatch(thread("answer", threadRequest(CHOICE)), "small", eva)).toBeUndefined();
  expect(explainMismatch(thread("answer", threadRequest(TEXT)), "too long", eva)).toBe(
    "Must be at most 4 characters.",
  );
  expect(explainMismatch(thread("answer", threadRequest(TEXT)), "fine", eva)).toBeUndefined();
  expect(explainMismatch(thread("ignore", threadRequest(CHOICE)), "later", eva)).toBeUndefined();
});
