import { AskbackElement, css } from "../../elements/element.ts";
import { html, type Template } from "../../elements/html.ts";
import { buttonStyles, tokenStyles } from "../../elements/tokens.css.ts";
import { placeIcons } from "../icons.ts";

/** A question before something that cannot be undone. */
export interface Question {
  readonly title: string;
  readonly text?: unknown;
  /** What the button says that does it. */
  readonly yes: string;
  readonly danger?: boolean;
}

const modalStyles = css`
  dialog {
    background: var(--_surface);
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) * 2);
    color: inherit;
    inline-size: min(36rem, calc(100vw - 2rem));
    margin: auto;
    max-block-size: calc(100dvh - 2rem);
    overflow: auto;
    padding: 1.25rem;
  }
  dialog::backdrop {
    background: #0007;
  }
  header {
    align-items: start;
    display: flex;
    gap: 1rem;
    justify-content: space-between;
    margin-block-end: 0.75rem;
  }
  h2 {
    font-size: 1.1875rem;
    font-weight: 600;
    line-height: 1.4;
  }
  .close {
    margin: -0.5rem -0.625rem 0 0;
    padding-inline: 0.625rem;
  }
`;

/**
 * A modal dialog, open as long as it is on the page; the code around it draws its content.
 *
 * @tag askback-modal
 * @attr heading - its title
 * @fires close - the person closed it, by Escape or by its button: take it off the page
 */
export class Modal extends AskbackElement {
  static override styles = [tokenStyles, buttonStyles, modalStyles];
  static override properties = { heading: "" };

  declare heading: string;
  /** What had the focus before. */
  #focusedBefore: Element | null = null;

  override connectedCallback(): void {
    super.connectedCallback();
    this.#focusedBefore = document.activeElement;
    while (this.#focusedBefore?.shadowRoot?.activeElement)
      this.#focusedBefore = this.#focusedBefore.shadowRoot.activeElement;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    (this.#focusedBefore as HTMLElement | null)?.focus();
  }

  protected override updated(): void {
    const dialog = this.root.querySelector("dialog");
    if (!dialog?.open) dialog?.showModal();
  }

  protected override render(): Template {
    const close = (): boolean => this.dispatchEvent(new Event("close"));
    const cancel = (event: Event): void => {
      event.preventDefault();
      close();
    };
    return html`<dialog aria-labelledby="heading" .oncancel=${cancel}>
      <header>
        <h2 id="heading">${this.heading}</h2>
        <button type="button" class="quiet close" aria-label=${this.getText("app.close")} .onclick=${close}>${placeIcons.cross}</button>
      </header>
      <slot></slot>
    </dialog>`;
  }
}

/** Draw a question; `answer` is called once. */
export const drawQuestion = (
  { title, text, yes, danger }: Question,
  no: string,
  answer: (yes: boolean) => void,
): Template => html`<askback-modal heading=${title} .onclose=${() => answer(false)}>
  ${text && html`<p>${text}</p>`}
  <div class="actions end">
    <button type="button" autofocus .onclick=${() => answer(false)}>${no}</button>
    <button type="button" class=${danger ? "danger primary" : "primary"} .onclick=${() => answer(true)}>${yes}</button>
  </div>
</askback-modal>`;
