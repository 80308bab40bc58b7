import type { Values } from "../core/form.ts";
import type {
  ActionAnswerBody,
  DecisionBody,
  DeclineBody,
  PackageAnswerBody,
  SecretScope,
} from "../core/generated/wire.ts";

/** The body of an answer to a form. */
export interface FormAnswer {
  revision: number;
  values: Values;
  /** The questions that the person skipped. */
  skipped?: readonly string[];
  /** The field that answers a form with `submit` `first` or `each`. */
  control?: string;
}

/** The names of secrets to send; only the element itself can send their values. */
export interface SecretHandover {
  revision: number;
  names: readonly string[];
  use_existing: readonly string[];
  scope: SecretScope;
}

export type Action = "answer" | "decline";
/** `languages` are those of the reader, where the request has texts in several. */
export type Body = (
  | FormAnswer
  | ActionAnswerBody
  | PackageAnswerBody
  | DecisionBody
  | SecretHandover
  | DeclineBody
) & {
  readonly languages?: readonly string[] | null | undefined;
};

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
