/** A long list of which only the part in view is on the page. */

import { drawList } from "../../elements/element.ts";
import { offsetsOf, type Slot, visible } from "./window.ts";

/** The attribute of the elements that are measured: one of each look tells the height of all. */
const LOOK = "look";
/** How many slots are drawn beyond each edge at most. */
const BEYOND = 8;
/** When a key was last pressed: a pointer that has not moved since then only rests on the list. */
let keyed = 0;

document.addEventListener(
  "keydown",
  ({ timeStamp }) => {
    keyed = timeStamp;
  },
  { capture: true },
);

/**
 * Draws the slots that are in view into a `<ul>`, each at its height, and keeps what is read in its place.
 *
 * All slots with the same `look` have the same height. `draw` fills the `<li>` of a slot.
 */
export class VirtualList<T extends Slot> {
  #slots: readonly T[] = [];
  #offsets: readonly number[] = [0];
  #heights: Record<string, number> = {};
  #scroller: HTMLElement | null = null;
  #place: HTMLElement | null = null;
  /** When the pointer last moved over the list. */
  #pointed = 0;
  /** The slots that are on the page; empty after a change. */
  #drawn: readonly [number, number] = [0, 0];
  /** How many slots are drawn beyond each edge: none until what is in view was painted once. */
  #beyond = 0;

  constructor(private readonly draw: (slot: T, place: HTMLElement) => void) {}

  /** Draw `slots` into `place`, which scrolls in `scroller`. */
  update(place: HTMLElement | null, scroller: HTMLElement | null, slots: readonly T[]): void {
    if (!place || !scroller) return;
    if (this.#scroller !== scroller) {
      this.#scroller = scroller;
      const follow = (): void => this.#follow();
      scroller.addEventListener("scroll", follow, { passive: true });
      scroller.addEventListener("pointermove", ({ timeStamp }) => {
        this.#pointed = timeStamp;
      });
      new ResizeObserver(follow).observe(scroller);
    }
    this.#place = place;
    const anchor = this.#anchor();
    this.#slots = slots;
    this.#measure();
    if (anchor) this.#restore(anchor);
    this.#drawn = [0, 0];
    this.#follow();
    if (this.#beyond > 0 || slots.length === 0) return;
    this.#beyond = BEYOND;
    const more = (): void => {
      this.#drawn = [0, 0];
      this.#follow();
    };
    requestAnimationFrame(() => setTimeout(more));
  }

  /** Bring a slot into view. */
  reveal(id: string): void {
    const at = this.#slots.findIndex((slot) => slot.id === id);
    const [scroller, place] = [this.#scroller, this.#place];
    if (at < 0 || !scroller || !place) return;
    const top = place.offsetTop + (this.#offsets[at] ?? 0);
    const bottom = place.offsetTop + (this.#offsets[at + 1] ?? 0);
    const hidden = this.#hiddenTop();
    const covered = scroller.querySelector<HTMLElement>(":scope > .bulk")?.offsetHeight ?? 0;
    const height = scroller.clientHeight - covered;
    if (top < scroller.scrollTop + hidden) scroller.scrollTop = top - hidden;
    else if (bottom > scroller.scrollTop + height) scroller.scrollTop = bottom - height;
    this.#follow();
  }

  /** What sticks to the top of the scroller covers this many pixels. */
  #hiddenTop(): number {
    const bar = this.#scroller?.querySelector<HTMLElement>(":scope > .bar");
    return bar && getComputedStyle(bar).position === "sticky" ? bar.offsetHeight : 0;
  }

  #range(): readonly [number, number] {
    const [scroller, place] = [this.#scroller, this.#place];
    if (!scroller || !place) return [0, 0];
    const top = scroller.scrollTop - place.offsetTop;
    return visible(this.#offsets, top + this.#hiddenTop(), top + scroller.clientHeight);
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
          this.#pointed < keyed ? ":has(.rows:focus-within)" : ":hover, :has(.rows:focus-within)",
        ))
    )
      return undefined;
    const [first, end] = this.#range();
    const rows = this.#slots.slice(first, end).filter(({ look }) => look === "row");
    const at = this.#slots.indexOf(rows[0] as T);
    return at < 0
      ? undefined
      : { ids: rows.map(({ id }) => id), offset: scroller.scrollTop - (this.#offsets[at] ?? 0) };
  }

  /** Scroll so that the first of these slots that is still there is where the first of all was. */
  #restore({ ids, offset }: { readonly ids: readonly string[]; readonly offset: number }): void {
    const places = new Map(this.#slots.map(({ id }, at) => [id, at]));
    const at = ids.map((id) => places.get(id)).find((found) => found !== undefined);
    if (at !== undefined && this.#scroller) {
      this.#stretch();
      this.#scroller.scrollTop = (this.#offsets[at] ?? 0) + offset;
    }
  }

  /** Measure the height of the slots with a `look` by the first one that is drawn. */
  #measure(): void {
    this.#offsets = offsetsOf(this.#slots, this.#heights);
    this.#stretch();
    const missing = this.#slots.filter(
      (slot, at) =>
        !(slot.look in this.#heights) && this.#slots.findIndex(({ look }) => look === slot.look) === at,
    );
    if (missing.length === 0 || !this.#place) return;
    drawList(this.#place, missing, (slot, place) => this.#fill(slot, place));
    for (const child of this.#place.children) {
      const height = child.getBoundingClientRect().height;
      if (height > 0) this.#heights[(child as HTMLElement).dataset[LOOK] ?? ""] = height;
    }
    this.#offsets = offsetsOf(this.#slots, this.#heights);
    this.#stretch();
  }

  #stretch(): void {
    if (this.#place) this.#place.style.blockSize = `${this.#offsets.at(-1) ?? 0}px`;
  }

  #fill(slot: T, place: HTMLElement): void {
    place.dataset[LOOK] = slot.look;
    this.draw(slot, place);
  }

  /** Draw what has come into view, and some more on both sides; a row that has the focus stays on the page. */
  #follow(): void {
    const [first, end] = this.#range();
    if (end > first && first >= this.#drawn[0] && end <= this.#drawn[1]) return;
    const [from, to] = [Math.max(0, first - this.#beyond), Math.min(this.#slots.length, end + this.#beyond)];
    this.#drawn = [from, to];
    const focused = (this.#place?.getRootNode() as ShadowRoot | undefined)?.activeElement?.closest("li");
    const kept = focused ? this.#slots.findIndex(({ id }) => id === focused.dataset.id) : -1;
    const places = Array.from({ length: to - from }, (_, at) => from + at);
    if (kept >= 0 && (kept < from || kept >= to)) places[kept < from ? "unshift" : "push"](kept);
    const shown = places.flatMap((at) => {
      const slot = this.#slots[at];
      return slot ? [{ id: slot.id, slot, at }] : [];
    });
    drawList(this.#place, shown, ({ slot, at }, place) => {
      place.style.insetBlockStart = `${this.#offsets[at] ?? 0}px`;
      place.setAttribute("aria-posinset", String(at + 1));
      place.setAttribute("aria-setsize", String(this.#slots.length));
      this.#fill(slot, place);
    });
  }
}
