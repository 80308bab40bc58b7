import type { Scope, Verdict } from "../core/approval.ts";
import type { SecretScope } from "../core/secret.ts";
import type { Json, Values } from "../core/wire.ts";

/** What a person decides about an approval. */
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

/** A form as it was filled in. */
export interface Filled {
  revision: number;
  values: Values;
}

/** That secrets are handed over: the names, and never a value, which only the element itself can send. */
export interface Handover {
  revision: number;
  names: readonly string[];
  use_existing: readonly string[];
  scope: SecretScope;
}

export type Action = "answer" | "decline";
export type Body = Filled | Decision | Handover | { reason: "skipped" | "dismissed" | "refused" };

/**
 * The person sends: cancel it to send it yourself, then set `.request` or call `fail()`.
 * Of what is kept secret `body` says only that it is set: cancelling that stops it.
 * It never bubbles out of a page by accident: listen on the element or an ancestor.
 */
export interface SubmitEvent extends Event {
  readonly id: string;
  readonly action: Action;
  readonly body: Body;
  readonly key: string;
}

/** The request has ended while it was on the screen. */
export interface SettledEvent extends Event {
  readonly id: string;
  readonly status: string;
  /** Whether it was this element that sent what settled it. */
  readonly own: boolean;
}

/** Make one of these events; it leaves the shadow root. */
export const made = <T extends keyof Fired>(type: T, more: Omit<Fired[T], keyof Event>): Event =>
  Object.assign(new Event(type, { bubbles: true, composed: true, cancelable: true }), more);

interface Fired {
  "askback-submit": SubmitEvent;
  "askback-settled": SettledEvent;
}

declare global {
  interface HTMLElementEventMap extends Fired {}
}
