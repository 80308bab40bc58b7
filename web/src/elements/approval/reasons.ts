import type { ReasonCode } from "../../core/approval.ts";
import { type Locale, translate } from "../../core/messages.ts";

const isCode = (value: unknown): value is ReasonCode =>
  typeof value === "object" && value !== null && "code" in value;

/** A sentence of the policy in the language of the reader; what has no text there stays in English. */
function sentence(text: string, reason: ReasonCode | undefined, locale: string): string {
  if (locale === "en" || !reason) return text;
  const params = Object.entries(reason.params ?? {}).map(([name, value]) => [
    name,
    isCode(value) ? sentence("", value, locale) : value,
  ]);
  const key = `reason.${reason.code}`;
  const said = translate(key, Object.fromEntries(params), locale as Locale);
  return said === key ? text : said;
}

/** The sentences of the policy in the language of the reader. */
export const sentences = (
  texts: readonly string[] = [],
  codes: readonly ReasonCode[] = [],
  locale = "en",
): string[] => texts.map((text, at) => sentence(text, codes[at], locale));
