import type { Sender } from "../kind.ts";

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;
/** After this long, what was true when a person decided may not be true any more. */
export const DECISION_MS = 120_000;

/**
 * Sends an attempt again, with the same key: when the link is back, and from time to time while it is there.
 *
 * A decision is sent again for two minutes only; after that `changed` is called, and the person has to say so.
 */
export class Repeater {
  active = true;
  #pause = FIRST_PAUSE_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #end: ReturnType<typeof setTimeout> | undefined;
  readonly #heard = (): void => {
    if (this.client.link === "online") this.send();
  };

  constructor(
    private readonly client: Sender,
    private readonly send: () => void,
    decision: boolean,
    changed: () => void,
  ) {
    client.addEventListener?.("link", this.#heard);
    this.#later();
    if (!decision) return;
    this.#end = setTimeout(() => {
      this.stop();
      changed();
    }, DECISION_MS);
  }

  stop(): void {
    this.active = false;
    clearTimeout(this.#timer);
    clearTimeout(this.#end);
    this.client.removeEventListener?.("link", this.#heard);
  }

  #later(): void {
    this.#timer = setTimeout(() => {
      if (this.client.link !== "offline") this.send();
      this.#later();
    }, this.#pause);
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE_MS);
  }
}
