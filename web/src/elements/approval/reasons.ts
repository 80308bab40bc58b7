import type { ReasonCode } from "../../core/generated/wire.ts";
import { hasText, type Locale, translate } from "../../core/messages.ts";
import { shorten } from "../../core/path.ts";
import { html, type Template } from "../html.ts";
import { escapeText } from "./escapes.ts";

/** How much of a sentence is shown: it may quote the call, which is shown above it. */
const MAX_SENTENCE_LENGTH = 300;

const isCode = (value: unknown): value is ReasonCode =>
  typeof value === "object" && value !== null && "code" in value;

/** A sentence of the policy in another language; null when a part of it has no text there. */
function sentenceOf({ code, params = {} }: ReasonCode, locale: Locale): string | null {
  const values = Object.entries(params).map(([name, value]) => [
    name,
    isCode(value) ? sentenceOf(value, locale) : value,
  ]);
  const key = `reason.${code}`;
  if (!hasText(key, locale) || values.some(([, value]) => value === null)) return null;
  return translate(key, Object.fromEntries(values), locale);
}

/** The sentences of the policy in the language of the reader; what has no text there stays in English. */
export const sentences = (
  texts: readonly string[] = [],
  codes: readonly ReasonCode[] = [],
  locale = "en",
): string[] =>
  texts.map((text, at) => {
    const reason = locale === "en" ? undefined : codes[at];
    return (reason && sentenceOf(reason, locale as Locale)) ?? text;
  });

/** Draw a sentence of the policy; text between backticks is code, unless they are unbalanced. */
export function drawSentence(text: string): Template {
  const shortText = shorten(text, MAX_SENTENCE_LENGTH);
  const parts = shortText.split("`");
  const hasPairs = parts.length % 2 === 1;
  return html`${hasPairs ? parts.map((part, at) => (at % 2 ? html`<code>${escapeText(part)}</code>` : escapeText(part))) : escapeText(shortText)}`;
}
