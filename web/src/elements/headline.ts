import type { Preview } from "../core/generated/wire.ts";
import { type Locale, translate } from "../core/messages.ts";
import { onDemand } from "./ondemand.ts";

/** The effect of a call, in the reader's language, or in English if there is no translation. */
export function headlineOf({ headline, headline_code: code }: Preview, locale?: Locale): string {
  const key = `headline.${code?.code}`;
  const text = translate(key, code?.params, locale);
  return text === key ? headline : text;
}

Object.assign(onDemand, { headlineOf });
