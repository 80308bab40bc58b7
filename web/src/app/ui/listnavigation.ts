import { focusedElement, singleKey } from "../keys.ts";
import type { PlaceElement } from "../place.ts";
import type { PlaceKeys } from "./shortcuts.ts";

/** The keys of a list of links beside what is open. */
export const LIST_KEYS: PlaceKeys["list"] = ["next", "previous", "open", "search"];

/** Move the focus in the list of a place by j, k and the arrows, and to its search by /; returns how to stop that. */
export function handleListKeys({ root }: PlaceElement): () => void {
  const move = (by: number): void => {
    const rows = [...root.querySelectorAll<HTMLElement>(".rows .row")];
    const index = rows.findIndex(
      (row) =>
        row === focusedElement() || (!focusedElement()?.closest(".rows") && row.ariaCurrent === "true"),
    );
    rows[index < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, index + by))]?.focus();
  };
  const press = (event: KeyboardEvent): void => {
    const key = singleKey(event);
    const [target] = event.composedPath();
    if (!(target instanceof Element) || target.closest("askback-thread")) return;
    const by = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 }[key];
    const inList = target.closest(".pane.list") !== null;
    if (key === "/") root.querySelector<HTMLElement>("#search")?.focus();
    else if (by && (inList || key.length === 1)) move(by);
    else return;
    event.preventDefault();
  };
  document.addEventListener("keydown", press);
  return () => document.removeEventListener("keydown", press);
}
