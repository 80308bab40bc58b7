import { html } from "../html.ts";

/** Stands before the first password: without one a browser complains, or takes the field before them for the user's name. */
export const usernameField = html`<input autocomplete="username" hidden />`;

/**
 * The values that a person types: they stand in their inputs and nowhere else.
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
    // What was typed for another request, which this element showed before, is not for this one.
    this.clear();
    addEventListener("pagehide", left, { signal: this.#over.signal });
  }

  /** What the input with this id holds; nothing where there is none. */
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
