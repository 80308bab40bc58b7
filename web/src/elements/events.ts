import type { Values } from "../core/wire.ts";

export type Action = "answer" | "decline";
export type Body = { revision: number; values: Values } | { reason: "skipped" | "dismissed" };

/**
 * The person sends: cancel it to send it yourself, then set `.request` or call `fail()`.
 * It never bubbles out of a page by accident: listen on the element or an ancestor.
 */
export class SubmitEvent extends Event {
  constructor(
    readonly id: string,
    readonly action: Action,
    readonly body: Body,
    readonly key: string,
  ) {
    super("askback-submit", { bubbles: true, composed: true, cancelable: true });
  }
}

/** The request has ended while it was on the screen. */
export class SettledEvent extends Event {
  constructor(
    readonly id: string,
    readonly status: string,
    /** Whether it was this element that sent what settled it. */
    readonly own: boolean,
  ) {
    super("askback-settled", { bubbles: true, composed: true });
  }
}

declare global {
  interface HTMLElementEventMap {
    "askback-submit": SubmitEvent;
    "askback-settled": SettledEvent;
  }
}
