import { APPEARANCE, applyPreferences, LANGUAGE, root } from "../src/app/preferences.ts";
import { loadTexts } from "../src/core/messages.ts";
import { localeOf, type Say, sayIn } from "../src/elements/text.ts";

const asked = (): string | null => new URLSearchParams(location.search).get("lang");
applyPreferences(asked());

/** What keeps the language in an address. */
export const keptLanguage = asked() ? `?lang=${root.lang}` : "";

/** The words of the page in the reader's language. */
export const say: Say = (...words) => sayIn(localeOf(root))(...words);

/** A part of the page that its HTML is known to have. */
export const $ = (id: string): HTMLElement => document.getElementById(id) as HTMLElement;

/** Fetch the texts of the reader's language, and put the page's own words into it; without them the page is in English. */
export async function speak(): Promise<void> {
  try {
    await loadTexts(localeOf(root));
  } catch {
    root.lang = "en";
  }
  for (const element of document.querySelectorAll<HTMLElement>("[data-say]")) {
    const { dataset } = element;
    dataset.en ??= element.textContent;
    element.textContent = localeOf(root) === "en" ? dataset.en : say(dataset.say ?? "");
  }
  dispatchEvent(new Event("languagechange"));
}

// What a person chooses in another tab applies here too.
addEventListener("storage", ({ key }) => {
  if (key !== LANGUAGE && key !== APPEARANCE) return;
  applyPreferences(asked());
});

// Whoever changes the language of the page, its own words follow.
new MutationObserver(() => void speak()).observe(root, { attributeFilter: ["lang"] });

/** Make the heading that is shown the title of the page. */
export function entitle(): void {
  document.title = `${document.querySelector(":not([hidden]) > h1")?.textContent} – askback`;
}
