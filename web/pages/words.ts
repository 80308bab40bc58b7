import { APPEARANCE, applyPreferences, LANGUAGE, root } from "../src/app/preferences.ts";
import { loadTexts } from "../src/core/messages.ts";
import { type GetText, getTextIn, localeOf } from "../src/elements/text.ts";

const languageOfAddress = (): string | null => new URLSearchParams(location.search).get("lang");
applyPreferences(languageOfAddress());

/** The words of the page in the reader's language. */
export const getText: GetText = (...words) => getTextIn(localeOf(root))(...words);

/** A part of the page that its HTML is known to have. */
export const $ = (id: string): HTMLElement => document.getElementById(id) as HTMLElement;

/** Fetch the texts of the reader's language, and put the page's own words into it; without them the page is in English. */
export async function showTexts(): Promise<void> {
  try {
    await loadTexts(localeOf(root));
  } catch {
    root.lang = "en";
  }
  for (const element of document.querySelectorAll<HTMLElement>("[data-text]")) {
    const { dataset } = element;
    dataset.en ??= element.textContent;
    element.textContent = localeOf(root) === "en" ? dataset.en : getText(dataset.text ?? "");
  }
  dispatchEvent(new Event("languagechange"));
}

// What a person chooses in another tab applies here too.
addEventListener("storage", ({ key }) => {
  if (key !== LANGUAGE && key !== APPEARANCE) return;
  applyPreferences(languageOfAddress());
});

// Show the words of the page in its new language when `lang` changes.
new MutationObserver(() => void showTexts()).observe(root, { attributeFilter: ["lang"] });
