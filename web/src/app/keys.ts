/** Keys without a modifier. They are off while somebody types, in dialogs, and where the person has turned them off. */

import { keysOn, readKeys, STORAGE_KEY } from "../elements/singlekeys.ts";
import { root } from "./preferences.ts";

readKeys();

/** Whether single keys do anything; kept in this browser. */
export const keys = {
  get enabled(): boolean {
    return keysOn();
  },
  set enabled(enabled: boolean) {
    root.dataset.keys = localStorage[STORAGE_KEY] = enabled ? "on" : "off";
  },
};

const TEXT_CONTROL_SELECTOR =
  "textarea, select, [contenteditable], input:not([type=checkbox], [type=radio], [type=button], [type=submit])";

/** Return the element that has the focus, in shadow roots too. */
export function focusedElement(): Element | null {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element;
}

/** Return the key that was pressed by itself; empty where it is for something else. */
export function singleKey(event: KeyboardEvent): string {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey)
    return "";
  const [target] = event.composedPath();
  if (!(target instanceof Element)) return "";
  if (event.composedPath().some((element) => element instanceof HTMLDialogElement)) return "";
  if (event.key === "Escape") return event.key;
  return target.matches(TEXT_CONTROL_SELECTOR) || (event.key.length === 1 && !keys.enabled) ? "" : event.key;
}
