/** Texts, from the very catalogues that the server uses: one fault reads the same on both sides. */

import en from "../../../src/askback/messages/en.json" with { type: "json" };
import { ownValue } from "./path.ts";

type Catalogue = Record<string, string>;
export type Locale = "en" | "de";

const CATALOGUES: Record<Locale, Catalogue> = { en, de: en };

/** Fetch the texts of a language, unless they are there; until then `translate` gives the English ones. */
export const loadTexts = (locale: Locale): Promise<void> | undefined =>
  locale === "de" && CATALOGUES.de === en ? loadGerman() : undefined;

/** The functions that fetch the German texts, one for each file. */
const german: (() => Promise<{ default: Catalogue }>)[] = [
  () => import("../../../src/askback/messages/de.json"),
];

/** Name another file of German texts, before any are fetched. */
export const addGerman = (fetch: (typeof german)[0]): unknown => german.push(fetch);

async function loadGerman(): Promise<void> {
  const files = await Promise.all(german.map((fetch) => fetch()));
  CATALOGUES.de = Object.assign({}, ...files.map((file) => file.default));
}

/** Take in the English texts of a part of the interface that came later; those of other languages have all. */
export const addTexts = (texts: Catalogue): unknown => Object.assign(CATALOGUES.en, texts);

/** The first of the reader's languages that there is a catalogue for; English without one. */
export function negotiate(tags: readonly string[]): Locale {
  const languages = tags.map((tag) => tag.toLowerCase().split("-", 1)[0] ?? "");
  return languages.find((language): language is Locale => Object.hasOwn(CATALOGUES, language)) ?? "en";
}

/** Whether there is a text; of another language only once its texts have been fetched. */
export const hasText = (key: string, locale: Locale): boolean => Object.hasOwn(CATALOGUES[locale], key);

/** The text of `key`, or with a value of 1 that of `<key>.one`, its `{placeholders}` filled; an unknown key is its own text. */
export function translate(key: string, params: Record<string, unknown> = {}, locale: Locale = "en"): string {
  const texts = CATALOGUES[locale];
  const text =
    (Object.values(params).includes(1) && ownValue(texts, `${key}.one`)) || (ownValue(texts, key) ?? key);
  return text.replace(/\{(\w+)\}/g, (match, name: string) => {
    const value = ownValue(params, name);
    return value === undefined ? match : String(value);
  });
}

/** The sentence of a fault, or the message of its own. */
export function renderFault(fault: Fault, locale: Locale = "en"): string {
  const { key, params } = fault;
  return (params.message as string) ?? translate(`fault.${key}`, params, locale);
}

/** A rule that a value breaks: `path` says where, `key` names the sentence in the catalogue, `params` fills it. */
export interface Fault {
  path: string;
  key: string;
  params: Record<string, unknown>;
}

export const fault = (path: string, key: string, params: Record<string, unknown> = {}): Fault => ({
  path,
  key,
  params,
});
