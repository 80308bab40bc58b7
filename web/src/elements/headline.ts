import type { Preview } from "../core/generated/wire.ts";
import { type Locale, translate } from "../core/messages.ts";
import { onDemand } from "./ondemand.ts";

/** The effect of a call, in the reader's language, or in English if there is no translation. */
export function headlineOf({ headline, headline_code: said }: Preview, locale?: Locale): string {
  const key = `headline.${said?.code}`;
  const text = translate(key, said?.params, locale);
  return text === key ? headline : text;
}

Object.assign(onDemand, { headlineOf });
