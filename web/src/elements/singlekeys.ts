/** The choice of this browser whether keys without a modifier do anything (WCAG 2.1.4). */

/** The key in `localStorage`. */
export const STORAGE_KEY = "askback-keys";

const { dataset } = document.documentElement;

/** Read the choice, unless the page has set it on its root element. A view of MCP Apps has no `localStorage`. */
export function readKeys(): void {
  dataset.keys ??= localStorage[STORAGE_KEY] ?? "on";
}

/** Whether keys without a modifier do anything. */
export const keysOn = (): boolean => dataset.keys !== "off";
