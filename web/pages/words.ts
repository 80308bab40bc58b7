import { applyPreferences, root } from "../src/app/preferences.ts";
import { type Locale, loadTexts } from "../src/core/messages.ts";
import { sayIn } from "../src/elements/text.ts";

const asked = new URLSearchParams(location.search).get("lang");
applyPreferences(asked);

/** The language of the page: that of the address, `?lang=de`, or the one that the person prefers. */
export const locale = root.lang as Locale;

/** What keeps the language in an address. */
export const keptLanguage = asked ? `?lang=${locale}` : "";

/** The words of the page in the reader's language. */
export const say = sayIn(locale);

/** A part of the page that its HTML is known to have. */
export const $ = (id: string): HTMLElement => document.getElementById(id) as HTMLElement;

/** Fetch the texts of the reader's language, and put the page's own words into it; without them the page is in English. */
export async function speak(): Promise<void> {
  try {
    await loadTexts(locale);
  } catch {
    root.lang = "en";
    return;
  }
  if (locale === "en") return;
  for (const element of document.querySelectorAll<HTMLElement>("[data-say]"))
    element.textContent = say(element.dataset.say ?? "");
}

/** Make the heading that is shown the title of the page. */
export function entitle(): void {
  document.title = `${document.querySelector(":not([hidden]) > h1")?.textContent} – askback`;
}
