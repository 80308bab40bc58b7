/** What a person has chosen for this browser: how the pages look, and their language. */

import { localeOf } from "../elements/text.ts";

/** Under these names; nothing where the browser or the system decides. */
export const APPEARANCE = "askback-scheme";
export const LANGUAGE = "askback.lang";

export const { documentElement: root } = document;

/** Apply the stored appearance, and the language: `language`, the stored one, or the browser's first. */
export function applyPreferences(language?: string | null): void {
  root.lang = language ?? localStorage[LANGUAGE] ?? "";
  root.lang = localeOf(root);
  root.style.setProperty("--askback-scheme", localStorage[APPEARANCE] ?? "");
}
