import type { Values } from "../core/wire.ts";

export type Action = "answer" | "decline";
export type Body = { revision: number; values: Values } | { reason: "skipped" | "dismissed" };

/**
 * The person sends: cancel it to send it yourself, then set `.request` or call `fail()`.
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
