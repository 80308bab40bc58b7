import type { Client } from "../client/client.ts";
import type { Caller } from "../core/generated/wire.ts";
import { AskbackElement } from "../elements/element.ts";
import type { Template } from "../elements/html.ts";
import { buttonStyles, tokenStyles } from "../elements/tokens.css.ts";
import type { InboxStore } from "./store.ts";
import { barStyles } from "./ui/bar.css.ts";
import type { Question } from "./ui/modal.ts";
import type { PlaceKeys } from "./ui/shortcuts.ts";
import { tableStyles } from "./ui/table.css.ts";
import { controlAt, findPlace, type TablePlace } from "./ui/tableplace.ts";
import type { ToastOptions } from "./ui/toasts.ts";
import { uiStyles } from "./ui/ui.css.ts";

/** What the application does for its places. */
export interface App {
  readonly client: Client;
  readonly inbox: InboxStore;
  /** Who is signed in, once that is known. */
  readonly me: Caller | undefined;
  /** Open an address of the application; `replace` leaves no entry in the browser's history. */
  go(path: string, options?: { replace?: boolean }): void;
  /** Put the heading of the place into the title of the window. */
  showTitle(): void;
  /** Show a short message; see `ToastOptions`. */
  toast(options: ToastOptions): void;
  /** Ask before something that cannot be undone; resolves with whether the person said yes. */
  confirm(question: Question): Promise<boolean>;
  /** Show what the keys of the place do. */
  showKeys(): void;
}

/**
 * A place of the application. It is drawn again when one of its `properties` is set, or on `redraw()`.
 *
 * `app`, `item` and `query` are set before it is connected; `item` and `query` again when the address changes.
 */
export abstract class PlaceElement extends AskbackElement {
  static override styles = [tokenStyles, buttonStyles, uiStyles, barStyles, tableStyles];
  static override properties: Record<string, unknown> = { item: "", query: undefined };

  declare app: App;
  /** The id in the address, such as `req_1` in `/inbox/req_1`; empty without one. */
  declare item: string;
  declare query: URLSearchParams;

  /** The keys of the place, which the help lists. */
  readonly keys: PlaceKeys = { list: [] };

  /** What the title of the window says before the name of the product. */
  abstract get heading(): string;

  /** The control that had the focus last, if it is in a table, and its place there. */
  #lastFocus: { readonly control: Element; readonly place: TablePlace } | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    this.root.addEventListener("focusin", ({ target }) => {
      const control = target as Element;
      const place = findPlace(this.root, control);
      this.#lastFocus = place && { control, place };
    });
  }

  override redraw(): void {
    super.redraw();
    void this.updateComplete.then(() => {
      this.#keepFocus();
      this.app.showTitle();
    });
  }

  /** If the control with the focus has left the page with its row, focus the one in its place. */
  #keepFocus(): void {
    const { control, place } = this.#lastFocus ?? {};
    if (!place || control?.isConnected || document.activeElement !== document.body) return;
    this.#lastFocus = undefined;
    const next = controlAt(this.root, place);
    if (next) next.focus();
    else this.focusContent();
  }

  /** Give the focus to the place after somebody came to it: to its heading. */
  focusContent(): void {
    this.focusOn("h1");
  }
}

/** What a place's module exports. */
export interface PlaceModule {
  readonly Place: new () => PlaceElement;
}

export interface PlaceEntry {
  /** The first part of its path and of its tag; its label is the text `ui.app.{name}`. */
  readonly name: string;
  readonly icon: Template;
  /** Its label as a tab on a phone, `ui.app.{tab}`, where the other is too long. */
  readonly tab?: string;
  /** Below "Control" in the rail. */
  readonly control?: boolean;
  /** The roles that may see it; everybody if there are none. */
  readonly roles?: readonly string[];
  load(): Promise<PlaceModule>;
}
