/** Stretches of time in words. */

import { perLocale } from "./formats.ts";

/** In seconds. */
export const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const unit = (name: string, unitDisplay: "short" | "long") =>
  perLocale((locale) => new Intl.NumberFormat(locale, { style: "unit", unit: name, unitDisplay }));
const minutes = unit("minute", "short");
const hours = unit("hour", "short");
// The short form of German, "Tg.", is known to few.
const days = unit("day", "long");
const relative = perLocale((locale) => new Intl.RelativeTimeFormat(locale));

/** Return the largest whole unit of some seconds, from a minute on: `3 min`, `2 hr`, `4 days`. */
export function duration(seconds: number, locale: string): string {
  if (seconds < HOUR) return minutes(locale).format(Math.max(1, Math.floor(seconds / MINUTE)));
  if (seconds < DAY) return hours(locale).format(Math.floor(seconds / HOUR));
  return days(locale).format(Math.floor(seconds / DAY));
}

/** Return the time left: `1:42` below an hour, then the largest whole unit; `0:00` once it is over. */
export function countdown(seconds: number, locale: string): string {
  if (seconds >= HOUR) return duration(seconds, locale);
  const wholeSeconds = Math.max(0, Math.floor(seconds));
  return `${Math.floor(wholeSeconds / MINUTE)}:${String(wholeSeconds % MINUTE).padStart(2, "0")}`;
}

/** Return how long ago something was in a sentence: `3 minutes ago`. */
export function ago(seconds: number, locale: string): string {
  const [count, name] =
    seconds < HOUR
      ? ([seconds / MINUTE, "minute"] as const)
      : seconds < DAY
        ? ([seconds / HOUR, "hour"] as const)
        : ([seconds / DAY, "day"] as const);
  return relative(locale).format(-Math.max(1, Math.floor(count)), name);
}
