const DELAY_MS = 500;

/**
 * Ignores clicks on buttons that have just appeared or moved: they are `ready` after half a second.
 *
 * A click or a key that was meant for something else is over by then. The time starts with the first painted frame,
 * so a hidden tab never becomes ready.
 */
export class ClickGuard {
  ready = false;
  #frame = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `changed` is called when `ready` changes. */
  constructor(private readonly changed: () => void) {}

  /** Start again after the buttons have appeared or moved. */
  restart(): void {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#timer);
    this.#setReady(false);
    this.#frame = requestAnimationFrame(() => {
      this.#timer = setTimeout(() => this.#setReady(true), DELAY_MS);
    });
  }

  #setReady(ready: boolean): void {
    if (this.ready === ready) return;
    this.ready = ready;
    this.changed();
  }
}
