import type { ThreadRequest } from "../../core/generated/wire.ts";
import type { AskbackRequest } from "../request.ts";
import { closestTo } from "../text.ts";

/** How far from the end still counts as reading along. */
const NEAR_PX = 120;
/** How far from the beginning earlier messages are shown. */
const EARLIER_PX = 300;
/** How much of a card has to be in view to be seen. */
const VISIBLE_PX = 32;

/** The element that shows the conversation, as far as it is read. */
interface Page {
  readonly root: ShadowRoot;
  redraw(): void;
}

/** The direction of an open request that is not visible. */
export type Direction = "up" | "down" | "";

/**
 * The reader's position in a conversation, in the page or in a pane that scrolls.
 *
 * Who reads along stays at the end, where the beginning of what waits for an answer stays in view. Who reads above, or
 * types into a card, stays where they are, whatever comes before or after.
 */
export class ScrollPosition {
  /** Messages that came below while somebody read above. */
  newCount = 0;
  direction: Direction = "";
  /** Whether the view follows new content at the end; scrolling up ends it. */
  #follows = true;
  #wasNear = true;
  /** Whether the person has moved up from the end since they were there. */
  #isAbove = false;
  #scrollTop = 0;
  #anchor: { readonly item: Element; readonly top: number } | undefined;
  #scroller: Element | undefined;
  #listening = new AbortController();
  readonly #resizeObserver: ResizeObserver;

  constructor(
    private readonly page: Page,
    private readonly isAsked: (request: ThreadRequest) => boolean,
    private readonly loadEarlier: () => void,
  ) {
    this.#resizeObserver = new ResizeObserver(() => this.#settle());
  }

  /** Begin to observe a list, once it is on the page. */
  watch(list: Element): void {
    if (this.#scroller) return;
    this.#scroller = scrollerOf(list);
    const target = this.#scroller === document.scrollingElement ? document : this.#scroller;
    const { signal } = this.#listening;
    // The last position is not the one at which reading starts.
    if (target === document) history.scrollRestoration = "manual";
    target.addEventListener("scroll", () => this.#onScroll(), { passive: true, signal });
    // A keyboard that opens, or a window that changes, covers and shows without a scroll.
    visualViewport?.addEventListener("resize", () => this.#settle(), { signal });
    this.#resizeObserver.observe(this.#scroller);
    // Content that the reader opens or types grows too, and must not move away from under the pointer.
    for (const kind of ["pointerdown", "keydown"])
      list.addEventListener(kind, () => this.#stopFollowing(), { signal });
    this.#resizeObserver.observe(list);
    if (this.#foot) this.#resizeObserver.observe(this.#foot);
  }

  #stopFollowing(): void {
    this.#follows = false;
    this.#setAnchor();
  }

  disconnect(): void {
    this.#listening.abort();
    this.#listening = new AbortController();
    this.#resizeObserver.disconnect();
    this.#scroller = undefined;
  }

  /** Before a drawing: remember what is in view. */
  beforeDraw(): void {
    if (!this.#scroller) return;
    this.#catchUp();
    this.#wasNear = this.#isNear;
    // A card that has ended has changed its height since.
    this.#restoreAnchor();
  }

  /** Remember the place of what the person types in or points at, or else of the first item that begins in view. */
  #setAnchor(): void {
    const { top, bottom } = this.#view;
    const items = [...this.page.root.querySelectorAll(".messages > li")].filter((item) => {
      const box = item.getBoundingClientRect();
      return box.bottom > top && box.top < bottom;
    });
    const item =
      items.find((item) => item.matches(":focus-within")) ??
      items.find((item) => item.matches(":hover")) ??
      items.find((item) => item.getBoundingClientRect().top >= top) ??
      items[0];
    this.#anchor = item && { item, top: item.getBoundingClientRect().top };
  }

  /** Put that item back to its place, unless the person has scrolled since: what is above it may end or grow. */
  #restoreAnchor(): void {
    const scroller = this.#scroller as Element;
    const { item, top = 0 } = this.#anchor ?? {};
    if (item?.isConnected && scroller.scrollTop === this.#scrollTop)
      scroller.scrollTop += item.getBoundingClientRect().top - top;
    this.#scrollTop = scroller.scrollTop;
    this.#setAnchor();
  }

  /** After a drawing with more at the end, of others or of the reader: stay there, or where somebody reads. */
  afterDraw(otherCount: number, ownCount: number): void {
    if (!this.#scroller) return;
    if (ownCount > 0 || (otherCount > 0 && this.#wasNear && !this.#isAbove)) this.#follows = true;
    if (this.#follows) this.#scrollToEnd();
    else {
      this.#restoreAnchor();
      this.newCount += otherCount;
      if (otherCount > 0) this.page.redraw();
    }
    this.#findWaiting();
  }

  /** Go to what is new. */
  showFresh(): void {
    this.#follows = true;
    this.#scrollToEnd();
    this.#onScroll();
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

  /** Where somebody writes, below the messages. */
  get #foot(): Element | null {
    return this.page.root.querySelector(".foot");
  }

  get #view(): { readonly top: number; readonly bottom: number } {
    const scroller = this.#scroller as Element;
    const foot = this.#foot?.getBoundingClientRect().top ?? Number.POSITIVE_INFINITY;
    const box = scroller.getBoundingClientRect();
    const [top, bottom] = scroller === document.scrollingElement ? [0, innerHeight] : [box.top, box.bottom];
    return { top, bottom: Math.min(bottom, foot) };
  }

  /** How far it is to the end. */
  get #distanceToEnd(): number {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller as Element;
    return scrollHeight - scrollTop - clientHeight;
  }

  get #isNear(): boolean {
    return this.#distanceToEnd < NEAR_PX;
  }

  /** Note a scroll up of which no event has come yet. */
  #catchUp(): void {
    if ((this.#scroller?.scrollTop ?? 0) < this.#scrollTop) this.#follow();
  }

  #settle(): void {
    if (!this.#scroller) return;
    this.#catchUp();
    if (this.#follows) this.#scrollToEnd();
    else this.#restoreAnchor();
    if (this.#foot && this.#scroller instanceof HTMLElement)
      this.#scroller.style.scrollPaddingBlockEnd = `${this.#foot.clientHeight}px`;
    this.#findWaiting();
  }

  /** Show the end, unless the person types in a card or points at one. */
  #scrollToEnd(): void {
    this.#restoreAnchor();
    const scroller = this.#scroller as Element;
    const waiting = this.#waiting;
    const lastRequest = waiting.at(-1);
    if (waiting.some((card) => card.matches(":focus-within, :hover"))) return;
    if (lastRequest && lastRequest.getBoundingClientRect().top > this.#view.top) lastRequest.scrollIntoView();
    else scroller.scrollTop = scroller.scrollHeight;
    this.#scrollTop = scroller.scrollTop;
    this.#setAnchor();
  }

  /** Note whether the person moved up or down since the last time. */
  #follow(): void {
    const { scrollTop } = this.#scroller as Element;
    const isReturning = scrollTop > this.#scrollTop && this.#isNear;
    this.#isAbove =
      this.#distanceToEnd > 1 && (scrollTop < this.#scrollTop || (this.#isAbove && !isReturning));
    this.#follows = !this.#isAbove && (this.#isNear || this.#follows);
    this.#restoreAnchor();
  }

  #onScroll(): void {
    const scroller = this.#scroller as Element;
    this.#follow();
    if (this.#isNear && !this.#isAbove && this.newCount > 0) {
      this.newCount = 0;
      this.page.redraw();
    }
    if (scroller.scrollTop < EARLIER_PX && !this.#isNear) this.loadEarlier();
    this.#findWaiting();
  }

  /** See whether any of what waits is in view, and where the oldest is if none is. */
  #findWaiting(): void {
    const { top, bottom } = this.#view;
    const places = this.#waiting.map((card): Direction => {
      const box = card.getBoundingClientRect();
      if (box.bottom < top + VISIBLE_PX) return "up";
      return box.top > bottom - VISIBLE_PX ? "down" : "";
    });
    const direction = places.includes("") ? "" : (places[0] ?? "");
    if (direction === this.direction) return;
    this.direction = direction;
    this.page.redraw();
  }
}

/** The element that scrolls what is in it: a pane around it, or the page. */
const scrollerOf = (element: Element): Element =>
  closestTo(element, (node) => /auto|scroll/.test(getComputedStyle(node).overflowY)) ??
  document.scrollingElement ??
  document.documentElement;
