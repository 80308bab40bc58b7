const ARM_MS = 500;

/**
 * Whether what approves may be pressed yet: not before it has stood in its place for half a second.
 *
 * A click or a key that was meant for something else is over by then. The time begins with the first frame that is
 * painted, so that nothing is armed in a tab that nobody sees.
 */
export class Arming {
  armed = false;
  #frame = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `changed` hears when it is armed, or no more. */
  constructor(private readonly changed: () => void) {}

  /** Begin again: it has just appeared, or has moved. */
  restart(): void {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#timer);
    this.#turn(false);
    this.#frame = requestAnimationFrame(() => {
      this.#timer = setTimeout(() => this.#turn(true), ARM_MS);
    });
  }

  #turn(armed: boolean): void {
    if (this.armed === armed) return;
    this.armed = armed;
    this.changed();
  }
}
