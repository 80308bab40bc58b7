import type { Retry } from "../drafttypes.ts";
import type { Sender } from "../kind.ts";

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;
/** A decision expires after this time, because the situation may have changed since. */
export const DECISION_MS = 120_000;

/**
 * Sends an attempt again with the same key: when the connection is back, and at growing intervals.
 *
 * A decision is sent again for two minutes only; then `changed` is called, and the person has to press "Send now".
 */
export class RetryScheduler implements Retry {
  active = true;
  #pause = FIRST_PAUSE_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #end: ReturnType<typeof setTimeout> | undefined;
  readonly #onLinkChange = (): void => {
    if (this.client.link === "online") this.send();
  };

  constructor(
    private readonly client: Sender,
    private readonly send: () => void,
    decision: boolean,
    onExpire: () => void,
  ) {
    client.addEventListener?.("link", this.#onLinkChange);
    this.#schedule();
    if (!decision) return;
    this.#end = setTimeout(() => {
      this.stop();
      onExpire();
    }, DECISION_MS);
  }

  stop(): void {
    this.active = false;
    clearTimeout(this.#timer);
    clearTimeout(this.#end);
    this.client.removeEventListener?.("link", this.#onLinkChange);
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      if (this.client.link !== "offline") this.send();
      this.#schedule();
    }, this.#pause);
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE_MS);
  }
}
