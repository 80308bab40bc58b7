/** The choice of the language that a reader gets of a text in several; `src/askback/messages/languages.py` has the same rule. */

/** A text, or one text for each language tag. */
export type LocalText = string | Record<string, string>;

/**
 * Return the offered tag for a reader of `languages`, which are in order of preference. `offered` is not empty.
 *
 * For each language in turn: the same tag, then its prefixes, then a longer tag (`de` gets
 * `de-AT`). Otherwise English, otherwise the first offered tag. Case does not matter.
 */
export function chooseLanguage(offered: readonly string[], languages: readonly string[]): string {
  const tags = new Map(offered.map((tag) => [tag.toLowerCase(), tag]));
  for (const language of [...languages, "en"]) {
    const parts = language.toLowerCase().split("-");
    for (let count = parts.length; count > 0; count--) {
      const matchingTag = tags.get(parts.slice(0, count).join("-"));
      if (matchingTag) return matchingTag;
    }
    for (const [tag, spelt] of tags) if (tag.split("-")[0] === parts[0]) return spelt;
  }
  return offered[0] ?? "";
}

/** Return the text for a reader of `languages`. */
export const choose = (text: LocalText, languages: readonly string[]): string =>
  typeof text === "string" ? text : (text[chooseLanguage(Object.keys(text), languages)] ?? "");
