/** Stretches of time in words. */

/** In seconds. */
export const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Making a formatter takes longer than a row of a list takes to draw. */
const formats = new Map<string, Intl.NumberFormat>();

function unit(count: number, name: string, locale: string, unitDisplay: "short" | "long" = "short"): string {
  const key = `${locale} ${name}`;
  const format =
    formats.get(key) ?? new Intl.NumberFormat(locale, { style: "unit", unit: name, unitDisplay });
  formats.set(key, format);
  return format.format(count);
}

/** Return the largest whole unit of some seconds, from a minute on: `3 min`, `2 hr`, `4 days`. */
export function duration(seconds: number, locale: string): string {
  if (seconds < HOUR) return unit(Math.max(1, Math.floor(seconds / MINUTE)), "minute", locale);
  if (seconds < DAY) return unit(Math.floor(seconds / HOUR), "hour", locale);
  // The short form of German, "Tg.", is known to few.
  return unit(Math.floor(seconds / DAY), "day", locale, "long");
}

/** Return the time left: `1:42` below an hour, then the largest whole unit; `0:00` once it is over. */
export function countdown(seconds: number, locale: string): string {
  if (seconds >= HOUR) return duration(seconds, locale);
  const left = Math.max(0, Math.floor(seconds));
  return `${Math.floor(left / MINUTE)}:${String(left % MINUTE).padStart(2, "0")}`;
}

/** Return how long ago something was in a sentence: `3 minutes ago`. */
export function ago(seconds: number, locale: string): string {
  const [count, name] =
    seconds < HOUR
      ? ([seconds / MINUTE, "minute"] as const)
      : seconds < DAY
        ? ([seconds / HOUR, "hour"] as const)
        : ([seconds / DAY, "day"] as const);
  return new Intl.RelativeTimeFormat(locale).format(-Math.max(1, Math.floor(count)), name);
}
