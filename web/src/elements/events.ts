import type { Scope, Verdict } from "../core/approval.ts";
import type { Json, Values } from "../core/json.ts";
import type { SecretScope } from "../core/secret.ts";

/** The body of a decision about an approval. */
export interface Decision {
  revision: number;
  decision: Verdict;
  digest?: string | undefined;
  scope?: Scope | undefined;
  note?: string | undefined;
  rule?: string | undefined;
  script_may_change?: boolean | undefined;
  every_agent?: boolean | undefined;
  grant_root?: boolean | undefined;
  edited_input?: Record<string, Json> | undefined;
  mode?: "accept_edits" | undefined;
}

/** The body of an answer to a form. */
export interface FormAnswer {
  revision: number;
  values: Values;
}

/** The names of secrets to send; only the element itself can send their values. */
export interface SecretHandover {
  revision: number;
  names: readonly string[];
  use_existing: readonly string[];
  scope: SecretScope;
}

export type Action = "answer" | "decline";
export type Body = FormAnswer | Decision | SecretHandover | { reason: "skipped" | "dismissed" | "refused" };

/**
 * Fired before a submission is sent. To send it yourself, cancel the event, then set `.request` or call `fail()`.
 *
 * In place of secret values `body` only says that they are set, so a cancelled submission of secrets is not sent at all.
 */
export interface SubmitEvent extends Event {
  readonly id: string;
  readonly action: Action;
  readonly body: Body;
  readonly key: string;
}

/** Fired when the request ends while it is shown. */
export interface SettledEvent extends Event {
  readonly id: string;
  readonly status: string;
  /** Whether this element sent the submission that settled it. */
  readonly own: boolean;
}

/** Create one of these events; it leaves the shadow root. */
export const createEvent = <T extends keyof ElementEvents>(
  type: T,
  more: Omit<ElementEvents[T], keyof Event>,
): Event => Object.assign(new Event(type, { bubbles: true, composed: true, cancelable: true }), more);

interface ElementEvents {
  "askback-submit": SubmitEvent;
  "askback-settled": SettledEvent;
}

declare global {
  interface HTMLElementEventMap extends ElementEvents {}
}
