/** Which part of a long list is in view. */

export interface Slot {
  readonly id: string;
  /** Slots of the same style have the same height. */
  readonly style: string;
}

/** Return where each slot begins, in pixels, and at last where the list ends. A style of unknown height counts as 0. */
export function offsetsOf(slots: readonly Slot[], heights: Readonly<Record<string, number>>): number[] {
  const offsets = [0];
  let end = 0;
  for (const { style } of slots) {
    end += heights[style] ?? 0;
    offsets.push(end);
  }
  return offsets;
}

/** Return the first slot of which something is between `top` and `bottom`, and the one after the last. */
export function visibleRange(
  offsets: readonly number[],
  top: number,
  bottom: number,
): readonly [number, number] {
  const count = offsets.length - 1;
  const first = Math.min(count, Math.max(0, countUntil(offsets, top) - 1));
  let end = first;
  while (end < count && (offsets[end] ?? 0) < bottom) end += 1;
  return [first, end];
}

/** Return how many offsets are at or before a place. */
function countUntil(offsets: readonly number[], position: number): number {
  let [low, high] = [0, offsets.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((offsets[middle] ?? 0) <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}
