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
  readonly #over = new AbortController();

  /** `left` hears that the page is left: it may come back as it was. */
  constructor(
    private readonly root: ShadowRoot,
    left: () => void,
  ) {
    // Drop values that were typed for the request that this element showed before.
    this.clear();
    addEventListener("pagehide", left, { signal: this.#over.signal });
  }

  /** The value of the input with this id; empty if there is none. */
  read(id: string): string {
    return this.root.querySelector<HTMLInputElement>(`#${id}.secret`)?.value ?? "";
  }

  /** Empty all of them, or those that `which` selects. */
  clear(which = ""): void {
    for (const input of this.root.querySelectorAll<HTMLInputElement>(`${which}.secret`)) input.value = "";
  }

  /** Nothing will be typed any more. */
  end(): void {
    this.clear();
    this.#over.abort();
  }
}
