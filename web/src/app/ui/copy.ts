import { copy } from "../../elements/copy.ts";
import { AskbackElement } from "../../elements/element.ts";
import { html, type Template } from "../../elements/html.ts";
import { buttonStyles, tokenStyles } from "../../elements/tokens.css.ts";
import { placeIcons } from "../icons.ts";

const COPIED_MS = 2_000;

/**
 * A button that copies `text`, and says so.
 *
 * @tag askback-copy
 */
export class CopyButton extends AskbackElement {
  static override styles = [tokenStyles, buttonStyles];
  static override properties = { text: undefined, copied: false };

  declare text: string | undefined;
  declare copied: boolean;

  async #copy(): Promise<void> {
    await copy(this.text ?? "");
    this.copied = true;
    setTimeout(() => {
      this.copied = false;
    }, COPIED_MS);
  }

  protected override render(): Template {
    return html`<button type="button" class="quiet" .onclick=${() => void this.#copy()}>
      ${placeIcons.copy}<span role="status">${this.getText(this.copied ? "app.copied" : "app.copy")}</span>
    </button>`;
  }
}
