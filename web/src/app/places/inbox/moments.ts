/** The moments that a reminder offers, in the time of this computer. */

import { variantOf } from "../../../elements/text.ts";

const MORNING = 9;
const EVENING = 18;

export interface Moment {
  readonly name: "hour" | "evening" | "tomorrow" | "monday";
  readonly at: Date;
}

/** Return the moments to choose from; this evening only while it is some hours away. */
export function moments(now: Date): readonly Moment[] {
  const on = (days: number, hour: number): Date => {
    const day = new Date(now);
    day.setDate(day.getDate() + days);
    day.setHours(hour, 0, 0, 0);
    return day;
  };
  const found: Moment[] = [{ name: "hour", at: new Date(now.getTime() + 3_600_000) }];
  if (now.getHours() < EVENING - 2) found.push({ name: "evening", at: on(0, EVENING) });
  found.push({ name: "tomorrow", at: on(1, MORNING) });
  const monday = (8 - now.getDay()) % 7 || 7;
  if (monday > 1) found.push({ name: "monday", at: on(monday, MORNING) });
  return found;
}

/** A moment in words: `Mon 30 Nov, 09:00`. */
export const momentText = (at: Date, locale: string): string =>
  new Intl.DateTimeFormat(variantOf(locale), {
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  }).format(at);
