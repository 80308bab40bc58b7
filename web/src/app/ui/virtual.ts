/** A long list of which only the part in view is on the page. */

import { drawList } from "../../elements/element.ts";
import { offsetsOf, type Slot, visibleRange } from "./window.ts";

/** The attribute of the elements that are measured: one of each look tells the height of all. */
const STYLE_KEY = "look";
/** How many slots are drawn beyond each edge at most. */
const EXTRA_ROWS = 8;
/** When a key was last pressed: a pointer that has not moved since then only rests on the list. */
let keyCount = 0;

document.addEventListener(
  "keydown",
  ({ timeStamp }) => {
    keyCount = timeStamp;
  },
  { capture: true },
);

/**
 * Draws the slots that are in view into a `<ul>`, each at its height, and keeps what is read in its place.
 *
 * All slots with the same `style` have the same height. `draw` fills the `<li>` of a slot.
 */
export class VirtualList<T extends Slot> {
  #slots: readonly T[] = [];
  #offsets: readonly number[] = [0];
  #heights: Record<string, number> = {};
  #scroller: HTMLElement | null = null;
  #rowsElement: HTMLElement | null = null;
  /** When the pointer last moved over the list. */
  #pointedId = 0;
  /** The slots that are on the page; empty after a change. */
  #drawnRange: readonly [number, number] = [0, 0];
  /** How many slots are drawn beyond each edge: none until what is in view was painted once. */
  #extraRows = 0;

  constructor(private readonly draw: (slot: T, place: HTMLElement) => void) {}

  /** Draw `slots` into `place`, which scrolls in `scroller`. */
  update(rowsElement: HTMLElement | null, scroller: HTMLElement | null, slots: readonly T[]): void {
    if (!rowsElement || !scroller) return;
    if (this.#scroller !== scroller) {
      this.#scroller = scroller;
      const followScroll = (): void => this.#drawVisible();
      scroller.addEventListener("scroll", followScroll, { passive: true });
      scroller.addEventListener("pointermove", ({ timeStamp }) => {
        this.#pointedId = timeStamp;
      });
      new ResizeObserver(followScroll).observe(scroller);
    }
    this.#rowsElement = rowsElement;
    const anchor = this.#anchor();
    this.#slots = slots;
    this.#measure();
    if (anchor) this.#restore(anchor);
    this.#drawnRange = [0, 0];
    this.#drawVisible();
    if (this.#extraRows > 0 || slots.length === 0) return;
    this.#extraRows = EXTRA_ROWS;
    const drawMore = (): void => {
      this.#drawnRange = [0, 0];
      this.#drawVisible();
    };
    requestAnimationFrame(() => setTimeout(drawMore));
  }

  /** Bring a slot into view. */
  reveal(id: string): void {
    const index = this.#slots.findIndex((slot) => slot.id === id);
    const [scroller, rowsElement] = [this.#scroller, this.#rowsElement];
    if (index < 0 || !scroller || !rowsElement) return;
    const top = rowsElement.offsetTop + (this.#offsets[index] ?? 0);
    const bottom = rowsElement.offsetTop + (this.#offsets[index + 1] ?? 0);
    const hiddenTop = this.#hiddenTop();
    const coveredHeight = scroller.querySelector<HTMLElement>(":scope > .bulk")?.offsetHeight ?? 0;
    const height = scroller.clientHeight - coveredHeight;
    if (top < scroller.scrollTop + hiddenTop) scroller.scrollTop = top - hiddenTop;
    else if (bottom > scroller.scrollTop + height) scroller.scrollTop = bottom - height;
    this.#drawVisible();
  }

  /** What sticks to the top of the scroller covers this many pixels. */
  #hiddenTop(): number {
    const bar = this.#scroller?.querySelector<HTMLElement>(":scope > .bar");
    return bar && getComputedStyle(bar).position === "sticky" ? bar.offsetHeight : 0;
  }

  #range(): readonly [number, number] {
    const [scroller, rowsElement] = [this.#scroller, this.#rowsElement];
    if (!scroller || !rowsElement) return [0, 0];
    const top = scroller.scrollTop - rowsElement.offsetTop;
    return visibleRange(this.#offsets, top + this.#hiddenTop(), top + scroller.clientHeight);
  }

  /** The first slot in view and how far it is from the edge; nothing at the very top if nobody is at the list. */
  #anchor(): { readonly ids: readonly string[]; readonly offset: number } | undefined {
    const scroller = this.#scroller;
    // Reading where it is scrolled to costs a layout.
    if (
      !scroller ||
      this.#slots.length === 0 ||
      (scroller.scrollTop === 0 &&
        !scroller.matches(
          this.#pointedId < keyCount ? ":has(.rows:focus-within)" : ":hover, :has(.rows:focus-within)",
        ))
    )
      return undefined;
    const [first, end] = this.#range();
    const rows = this.#slots.slice(first, end).filter(({ style: look }) => look === "row");
    const index = this.#slots.indexOf(rows[0] as T);
    return index < 0
      ? undefined
      : { ids: rows.map(({ id }) => id), offset: scroller.scrollTop - (this.#offsets[index] ?? 0) };
  }

  /** Scroll so that the first of these slots that is still there is where the first of all was. */
  #restore({ ids, offset }: { readonly ids: readonly string[]; readonly offset: number }): void {
    const places = new Map(this.#slots.map(({ id }, slotIndex) => [id, slotIndex]));
    const index = ids.map((id) => places.get(id)).find((found) => found !== undefined);
    if (index !== undefined && this.#scroller) {
      this.#setPadding();
      this.#scroller.scrollTop = (this.#offsets[index] ?? 0) + offset;
    }
  }

  /** Measure the height of the slots with a `style` by the first one that is drawn. */
  #measure(): void {
    this.#offsets = offsetsOf(this.#slots, this.#heights);
    this.#setPadding();
    const unmeasuredSlots = this.#slots.filter(
      (slot, index) =>
        !(slot.style in this.#heights) &&
        this.#slots.findIndex(({ style: look }) => look === slot.style) === index,
    );
    if (unmeasuredSlots.length === 0 || !this.#rowsElement) return;
    drawList(this.#rowsElement, unmeasuredSlots, (slot, element) => this.#fill(slot, element));
    for (const child of this.#rowsElement.children) {
      const height = child.getBoundingClientRect().height;
      if (height > 0) this.#heights[(child as HTMLElement).dataset[STYLE_KEY] ?? ""] = height;
    }
    this.#offsets = offsetsOf(this.#slots, this.#heights);
    this.#setPadding();
  }

  #setPadding(): void {
    if (this.#rowsElement) this.#rowsElement.style.blockSize = `${this.#offsets.at(-1) ?? 0}px`;
  }

  #fill(slot: T, element: HTMLElement): void {
    element.dataset[STYLE_KEY] = slot.style;
    this.draw(slot, element);
  }

  /** Draw what has come into view, and some more on both sides; a row that has the focus stays on the page. */
  #drawVisible(): void {
    const [first, end] = this.#range();
    if (end > first && first >= this.#drawnRange[0] && end <= this.#drawnRange[1]) return;
    const [from, to] = [
      Math.max(0, first - this.#extraRows),
      Math.min(this.#slots.length, end + this.#extraRows),
    ];
    this.#drawnRange = [from, to];
    const focused = (this.#rowsElement?.getRootNode() as ShadowRoot | undefined)?.activeElement?.closest(
      "li",
    );
    const focusedIndex = focused ? this.#slots.findIndex(({ id }) => id === focused.dataset.id) : -1;
    const places = Array.from({ length: to - from }, (_, index) => from + index);
    if (focusedIndex >= 0 && (focusedIndex < from || focusedIndex >= to))
      places[focusedIndex < from ? "unshift" : "push"](focusedIndex);
    const drawnSlots = places.flatMap((index) => {
      const slot = this.#slots[index];
      return slot ? [{ id: slot.id, slot, at: index }] : [];
    });
    drawList(this.#rowsElement, drawnSlots, ({ slot, at: index }, place) => {
      place.style.insetBlockStart = `${this.#offsets[index] ?? 0}px`;
      place.setAttribute("aria-posinset", String(index + 1));
      place.setAttribute("aria-setsize", String(this.#slots.length));
      this.#fill(slot, place);
    });
  }
}
