import { html, type Template } from "../../elements/html.ts";
import type { GetText } from "../../elements/text.ts";

/** How long something waits for Undo. */
const UNDO_S = 10;
const VISIBLE_S = 6;

export interface ToastOptions {
  /** What has happened, or with `act` what is about to. */
  readonly text: string;
  /** Takes it back. */
  readonly undo?: () => void;
  /** What happens after ten seconds unless it is undone; nothing happens if the page is left before. */
  readonly act?: () => void;
}

interface ToastHost {
  readonly root: ShadowRoot;
  redraw(): void;
  /** Give the focus to the place that is shown. */
  focusContent(): void;
}

interface Toast extends ToastOptions {
  secondsLeft: number;
}

/** The short messages of the application; each goes by itself. */
export class Toasts {
  #toasts: readonly Toast[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly host: ToastHost) {}

  add(options: ToastOptions): void {
    const secondsLeft = options.undo || options.act ? UNDO_S : VISIBLE_S;
    this.#toasts = [...this.#toasts, { ...options, secondsLeft }];
    this.#timer ??= setInterval(() => this.#tick(), 1_000);
    this.host.redraw();
  }

  /** Undo the latest that can be undone; returns whether there was one. */
  undo(toast = this.#toasts.findLast(({ undo }) => undo)): boolean {
    if (!toast) return false;
    const hadFocus = this.#hasFocus;
    toast.undo?.();
    this.#end(toast);
    if (hadFocus) this.host.focusContent();
    return true;
  }

  get #hasFocus(): boolean {
    return this.host.root.querySelector(".toasts:focus-within") !== null;
  }

  draw(getText: GetText): Template {
    return html`<div class="toasts" role="status">
      ${this.#toasts.map(
        (toast) => html`<div class="toast">
          <span>${toast.text}</span>
          ${toast.act && html`<span class="n" aria-hidden="true">${toast.secondsLeft}</span>`}
          ${toast.undo && html`<button type="button" .onclick=${() => this.undo(toast)}>${getText("app.undo")}</button>`}
        </div>`,
      )}
    </div>`;
  }

  /** Nothing goes while the focus is on a button here. */
  #tick(): void {
    if (this.#hasFocus) return;
    for (const toast of this.#toasts) {
      toast.secondsLeft -= 1;
      if (toast.secondsLeft > 0) continue;
      toast.act?.();
      this.#end(toast);
    }
    this.host.redraw();
  }

  #end(toast: Toast): void {
    this.#toasts = this.#toasts.filter((item) => item !== toast);
    if (this.#toasts.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    this.host.redraw();
  }
}
