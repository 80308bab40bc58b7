import type { Preview } from "../core/generated/wire.ts";
import { type Locale, translate } from "../core/messages.ts";
import { onDemand } from "./ondemand.ts";

/** What a call would do, in the language of the reader; in English where there is no text for it. */
export function headlineOf({ headline, headline_code: said }: Preview, locale?: Locale): string {
  const key = `headline.${said?.code}`;
  const text = translate(key, said?.params, locale);
  return text === key ? headline : text;
}

Object.assign(onDemand, { headlineOf });
