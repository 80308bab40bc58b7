/** What the history says of a settled request: how it ended, by whom and why. */

import type { InputRequest } from "../../../core/generated/wire.ts";
import type { GetText } from "../../../elements/text.ts";

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
  const result =
    status === "answered" ? (answer?.decision ?? answer?.outcome) : status === "declined" && reason;
  return (
    OUTCOMES.find((outcome) => outcome === result) ??
    OUTCOMES.find((outcome) => outcome === status) ??
    "answered"
  );
}

const TAG_CLASSES: Partial<Record<Outcome, string>> = {
  approve: "good",
  answered: "good",
  done: "good",
  deny: "bad",
  refused: "bad",
  failed: "bad",
  expired: "warn",
};

/** The look of the tag of an outcome. */
export const tagClassOf = (outcome: Outcome): string => TAG_CLASSES[outcome] ?? "";

/** Return who settled it; empty for a deadline or a withdrawal by the server. */
export function settlerOf({ settled_by, source }: InputRequest, getText: GetText): string {
  if (settled_by) return getText("history.by", { name: settled_by.name });
  if (source === "policy") return getText("history.by_policy");
  return source === "default" ? getText("history.by_default") : "";
}
