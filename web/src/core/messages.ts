/** Texts, from the very catalogues that the server uses: one fault reads the same on both sides. */

import en from "../../../src/askback/messages/en.json" with { type: "json" };
import type { Fault } from "./fault.ts";
import { own } from "./path.ts";

type Catalogue = Record<string, string>;
export type Locale = "en" | "de";

const CATALOGUES: Record<Locale, Catalogue> = { en, de: en };

/** Fetch the texts of a language; until they are there, `translate` gives the English ones. */
export async function loadTexts(locale: Locale): Promise<void> {
  if (locale === "en") return;
  const texts = await import("../../../src/askback/messages/de.json");
  CATALOGUES.de = texts.default;
}

/** Take in the English texts of a part of the interface that came later; those of other languages have all. */
export const addTexts = (texts: Catalogue): unknown => Object.assign(CATALOGUES.en, texts);

/** The first of the reader's languages that there is a catalogue for; English without one. */
export function negotiate(tags: readonly string[]): Locale {
  const languages = tags.map((tag) => tag.toLowerCase().split("-", 1)[0] ?? "");
  return languages.find((language): language is Locale => Object.hasOwn(CATALOGUES, language)) ?? "en";
}

/** The text of `key`, its `{placeholders}` filled; an unknown key is its own text. */
export function translate(key: string, params: Record<string, unknown> = {}, locale: Locale = "en"): string {
  const text = own(CATALOGUES[locale], key) ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = own(params, name);
    return value === undefined ? whole : String(value);
  });
}

/** The sentence of a fault. */
export function renderFault(fault: Fault, locale: Locale = "en"): string {
  return translate(`fault.${fault.key}`, fault.params, locale);
}
