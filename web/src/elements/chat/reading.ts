import type { ThreadRequest } from "../../core/generated/wire.ts";
import type { AskbackRequest } from "../request.ts";

/** How far from the end still counts as reading along. */
const NEAR_PX = 120;
/** How far from the beginning earlier messages are shown. */
const EARLIER_PX = 300;

/** The element that shows the conversation, as far as it is read. */
interface Page {
  readonly root: ShadowRoot;
  redraw(): void;
}

/** Where what waits for an answer is, when it is not in view. */
export type Away = "up" | "down" | "";

/**
 * Where somebody reads in a conversation, in the page or in the pane that scrolls.
 *
 * Who reads along stays at the end, where the beginning of what waits for an answer stays in view. Who reads above, or
 * types into a card, stays where they are, whatever comes before or after.
 */
export class Reading {
  /** Messages that came below while somebody read above. */
  fresh = 0;
  away: Away = "";
  /** Whether what grows at the end is followed; a person who scrolls up ends it. */
  #follows = true;
  #near = true;
  #at = 0;
  #anchor: { readonly item: Element; readonly top: number } | undefined;
  #scroller: Element | undefined;
  #left = new AbortController();
  readonly #grown: ResizeObserver;

  constructor(
    private readonly page: Page,
    private readonly isAsked: (request: ThreadRequest) => boolean,
    private readonly earlier: () => void,
  ) {
    this.#grown = new ResizeObserver(() => this.#settle());
  }

  /** Begin to look after a list, once it is on the page. */
  watch(list: Element): void {
    if (this.#scroller) return;
    this.#scroller = scrollerOf(list);
    const target = this.#scroller === document.scrollingElement ? document : this.#scroller;
    const { signal } = this.#left;
    // Where somebody was is not where they begin to read.
    if (target === document) history.scrollRestoration = "manual";
    target.addEventListener("scroll", () => this.#scrolled(), { passive: true, signal });
    // What somebody opens or types grows too, and must not move away from under them.
    for (const kind of ["pointerdown", "keydown"])
      list.addEventListener(kind, () => this.#rest(), { signal });
    this.#grown.observe(list);
    const foot = this.page.root.querySelector(".foot");
    if (foot) this.#grown.observe(foot);
  }

  #rest(): void {
    this.#follows = false;
  }

  leave(): void {
    this.#left.abort();
    this.#left = new AbortController();
    this.#grown.disconnect();
    this.#scroller = undefined;
  }

  /** Before a drawing: remember what is in view. */
  before(): void {
    if (!this.#scroller) return;
    this.#near = this.#isNear;
    const { top } = this.#view;
    const item = [...this.page.root.querySelectorAll(".messages > li")].find(
      (each) => each.getBoundingClientRect().bottom > top,
    );
    this.#anchor = item && { item, top: item.getBoundingClientRect().top };
  }

  /** After a drawing with more at the end, of others or of the reader: stay there, or where somebody reads. */
  after(others: number, own: number): void {
    if (!this.#scroller) return;
    if (own > 0 || (others > 0 && this.#near)) this.#follows = true;
    if (this.#follows) this.#toEnd();
    else {
      const { item, top } = this.#anchor ?? {};
      if (item?.isConnected) this.#scroller.scrollTop += item.getBoundingClientRect().top - (top ?? 0);
      this.fresh += others;
      if (others > 0) this.page.redraw();
    }
    this.#look();
  }

  /** Go to what is new. */
  showFresh(): void {
    this.#follows = true;
    this.#toEnd();
    this.#scrolled();
  }

  /** Go to the oldest request that waits for an answer, and into it. */
  showWaiting(): void {
    const [card] = this.#waiting;
    this.#follows = false;
    card?.scrollIntoView();
    card?.focus();
  }

  get #waiting(): AskbackRequest[] {
    const cards = [...this.page.root.querySelectorAll("askback-request")];
    return cards.filter(({ request }) => request && this.isAsked(request as ThreadRequest));
  }

  get #view(): { readonly top: number; readonly bottom: number } {
    const scroller = this.#scroller as Element;
    const foot =
      this.page.root.querySelector(".foot")?.getBoundingClientRect().top ?? Number.POSITIVE_INFINITY;
    const box = scroller.getBoundingClientRect();
    const [top, bottom] = scroller === document.scrollingElement ? [0, innerHeight] : [box.top, box.bottom];
    return { top, bottom: Math.min(bottom, foot) };
  }

  get #isNear(): boolean {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller as Element;
    return scrollHeight - scrollTop - clientHeight < NEAR_PX;
  }

  #settle(): void {
    if (!this.#scroller) return;
    if (this.#follows) this.#toEnd();
    const foot = this.page.root.querySelector(".foot");
    if (foot && this.#scroller instanceof HTMLElement)
      this.#scroller.style.scrollPaddingBlockEnd = `${foot.clientHeight}px`;
    this.#look();
  }

  #toEnd(): void {
    const scroller = this.#scroller as Element;
    const waiting = this.#waiting;
    if (waiting.some((card) => card === this.page.root.activeElement)) return;
    const last = waiting.at(-1);
    if (last && last.getBoundingClientRect().top > this.#view.top) last.scrollIntoView();
    else scroller.scrollTop = scroller.scrollHeight;
  }

  #scrolled(): void {
    const scroller = this.#scroller as Element;
    this.#follows = this.#isNear || (this.#follows && scroller.scrollTop >= this.#at);
    this.#at = scroller.scrollTop;
    if (this.#isNear && this.fresh > 0) {
      this.fresh = 0;
      this.page.redraw();
    }
    if (scroller.scrollTop < EARLIER_PX && !this.#isNear) this.earlier();
    this.#look();
  }

  /** See whether what waits is in view. */
  #look(): void {
    const [card] = this.#waiting;
    const box = card?.getBoundingClientRect();
    const { top, bottom } = this.#view;
    const away = !box ? "" : box.bottom < top ? "up" : box.top > bottom ? "down" : "";
    if (away === this.away) return;
    this.away = away;
    this.page.redraw();
  }
}

/** The element that scrolls what is in it: a pane around it, or the page. */
function scrollerOf(element: Element): Element {
  let at: Element | null = element;
  while (at) {
    if (/auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
    const root: Node = at.getRootNode();
    at = at.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
  }
  return document.scrollingElement ?? document.documentElement;
}
