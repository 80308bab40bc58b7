import { expect, test } from "vitest";
import type { Form, FreeText, InputRequest, ThreadRequest } from "../../src/core/generated/wire.ts";
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

const asked = (form: Form | null, more: Partial<InputRequest> = {}): ThreadRequest => ({
  id: `r${Math.random()}`,
  seq: 1,
  kind: form ? "form" : "approval",
  form,
  thread_id: "t1",
  created_at: "2026-11-20T09:00:00.000Z",
  status: "pending",
  revision: 1,
  ...more,
});
const thread = (free_text: FreeText, ...requests: ThreadRequest[]): Transcript => ({
  ...emptyThread("t1"),
  free_text,
  requests,
});

test.each<[FreeText, ThreadRequest[], string | undefined]>([
  ["ignore", [asked(TEXT)], "composer.answers_nothing 1"],
  ["queue", [asked(null)], "composer.queue"],
  ["queue", [asked(TEXT, { status: "answered" })], undefined],
  ["queue", [asked(TEXT, { queued_behind: true })], undefined],
  ["block_input", [asked(TEXT, { status: "resolving" })], "composer.answer_first"],
  ["cancel_pending", [asked(null)], "composer.answers_nothing 1"],
  ["cancel_pending", [asked(null), asked(TEXT)], "composer.closes 1"],
  ["cancel_pending", [asked(TEXT), asked(TEXT)], "composer.closes 2"],
  ["answer", [asked(TEXT)], "composer.answers"],
  ["answer", [asked(CHOICE)], "composer.answers_option"],
  ["answer", [asked(null)], "composer.answers_nothing 1"],
  ["answer", [asked(TEXT), asked(TEXT)], "composer.answers_nothing 2"],
  ["answer", [asked(TEXT, { assignees: ["Dora"] })], "composer.answers_nothing 1"],
  ["answer", [asked(TEXT, { assignees: ["eva"] })], "composer.answers"],
])("%s, with what is open, predicts %#", (policy, requests, words) => {
  expect(predictOutcome(thread(policy, ...requests), eva)).toBe(words);
});

test("a text that is no answer says why, where it was meant to be one", () => {
  expect(explainMismatch(thread("answer", asked(CHOICE)), "later", eva)).toBe("composer.not_an_option");
  expect(explainMismatch(thread("answer", asked(CHOICE)), "small", eva)).toBeUndefined();
  expect(explainMismatch(thread("answer", asked(TEXT)), "too long", eva)).toBe(
    "Must be at most 4 characters.",
  );
  expect(explainMismatch(thread("answer", asked(TEXT)), "fine", eva)).toBeUndefined();
  expect(explainMismatch(thread("ignore", asked(CHOICE)), "later", eva)).toBeUndefined();
});
