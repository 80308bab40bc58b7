import { html } from "../html.ts";

/** Stands before the first password: without one a browser complains, or takes the field before them for the user's name. */
export const usernameField = html`<input autocomplete="username" hidden />`;

/**
 * The values that a person types. They are in their inputs and nowhere else.
 *
 * They are read from there when they are sent, and the inputs are emptied when that has worked, when the request ends
 * and when the page is left. No property, attribute, event or storage ever holds one.
 */
export class Inputs {
  readonly #abortController = new AbortController();

  /** `onLeave` is called when the person leaves the page, which may come back unchanged. */
  constructor(
    private readonly root: ShadowRoot,
    onLeave: () => void,
  ) {
    // Drop values that were typed for the request that this element showed before.
    this.clear();
    addEventListener("pagehide", onLeave, { signal: this.#abortController.signal });
  }

  /** The value of the input with this id; empty if there is none. */
  read(id: string): string {
    return this.root.querySelector<HTMLInputElement>(`#${id}.secret`)?.value ?? "";
  }

  /** Empty all of them, or those that `which` selects. */
  clear(name = ""): void {
    for (const input of this.root.querySelectorAll<HTMLInputElement>(`${name}.secret`)) input.value = "";
  }

  /** Nothing more will be typed. */
  end(): void {
    this.clear();
    this.#abortController.abort();
  }
}
