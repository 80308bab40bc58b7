import { html, type Template } from "../../../elements/html.ts";
import { usernameField } from "../../../elements/secret/inputs.ts";
import type { GetText } from "../../../elements/text.ts";

/**
 * The field for a value. The typed value is only in the field, until it is read once, to be sent.
 *
 * One that has several lines, such as a key file, takes a field of several lines: a password field drops the others.
 */
export class ValueField {
  #lines = false;
  #isRevealed = false;
  #isPadded = false;

  /** `redraw` draws the place again. */
  constructor(
    private readonly root: ShadowRoot,
    private readonly redraw: () => Promise<void>,
  ) {}

  get #field(): HTMLInputElement | HTMLTextAreaElement | null {
    return this.root.querySelector(".secret");
  }

  /** What was typed. */
  get typedValue(): string {
    return this.#field?.value ?? "";
  }

  clear(): void {
    if (this.#field) this.#field.value = "";
  }

  focus(): void {
    this.#field?.focus();
  }

  async #change(change: () => void): Promise<void> {
    const value = this.typedValue;
    change();
    await this.redraw();
    const field = this.#field;
    if (field) field.value = value;
    this.focus();
  }

  async #onPaste(event: ClipboardEvent): Promise<void> {
    const pastedText = event.clipboardData?.getData("text") ?? "";
    if (this.#lines || !pastedText.trim().includes("\n")) return;
    event.preventDefault();
    await this.#change(() => {
      this.#lines = true;
    });
    const field = this.#field;
    if (field) field.value = pastedText;
  }

  #check(): void {
    const value = this.typedValue;
    const isPadded = value !== value.trim();
    if (isPadded === this.#isPadded) return;
    this.#isPadded = isPadded;
    void this.redraw();
  }

  draw(getText: GetText): Template {
    const check = (): void => this.#check();
    const toggle = (change: () => void) => (): void => void this.#change(change);
    const toggleReveal = toggle(() => {
      this.#isRevealed = !this.#isRevealed;
    });
    const lines = toggle(() => {
      this.#lines = !this.#lines;
    });
    return html`${usernameField}
      <label for="value">${getText("secrets.value")}</label>
      ${
        this.#lines
          ? html`<textarea id="value" class="secret" rows="6" required autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="value-hint" .oninput=${check}></textarea>`
          : html`<input id="value" class="secret" type=${this.#isRevealed ? "text" : "password"} required autocomplete="new-password" autocapitalize="off" spellcheck="false" aria-describedby="value-hint" .oninput=${check} .onpaste=${(event: ClipboardEvent) => void this.#onPaste(event)} />
            <label class="tick"><input type="checkbox" .checked=${this.#isRevealed} .onchange=${toggleReveal} />${getText("secrets.show")}</label>`
      }
      <label class="tick"><input type="checkbox" .checked=${this.#lines} .onchange=${lines} />${getText("secrets.lines")}</label>
      <p class="warn" role="status">${this.#isPadded && getText("secrets.padded")}</p>
      <p class="muted" id="value-hint">${getText("secrets.value_hint")}</p>`;
  }
}
