/** What the history says of a settled request: how it ended, by whom and why. */

import type { InputRequest } from "../../../core/generated/wire.ts";
import type { Say } from "../../../elements/text.ts";

/** The outcomes of `GET /v1/history`. */
export const OUTCOMES = [
  "approve",
  "deny",
  "answered",
  "done",
  "failed",
  "skipped",
  "dismissed",
  "refused",
  "cancelled",
  "expired",
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Return how a request ended. */
export function outcomeOf({ status, answer, reason }: InputRequest): Outcome {
  const said =
    status === "answered" ? (answer?.decision ?? answer?.outcome) : status === "declined" && reason;
  return OUTCOMES.find((each) => each === said) ?? OUTCOMES.find((each) => each === status) ?? "answered";
}

const LOOKS: Partial<Record<Outcome, string>> = {
  approve: "good",
  answered: "good",
  done: "good",
  deny: "bad",
  refused: "bad",
  failed: "bad",
  expired: "warn",
};

/** The look of the tag of an outcome. */
export const lookOf = (outcome: Outcome): string => LOOKS[outcome] ?? "";

/** Return who settled it; empty for a deadline or a withdrawal by the server. */
export function whoOf({ settled_by, source }: InputRequest, say: Say): string {
  if (settled_by) return say("history.by", { name: settled_by.name });
  if (source === "policy") return say("history.by_policy");
  return source === "default" ? say("history.by_default") : "";
}
