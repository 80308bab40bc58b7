/** The moments that a reminder offers, in the time of this computer. */

import { variantOf } from "../../../elements/text.ts";

const MORNING_HOUR = 9;
const EVENING_HOUR = 18;

export interface ReminderMoment {
  readonly name: "hour" | "evening" | "tomorrow" | "monday";
  readonly at: Date;
}

/** Return the moments to choose from; this evening only while it is some hours away. */
export function reminderMoments(now: Date): readonly ReminderMoment[] {
  const inDays = (days: number, hour: number): Date => {
    const day = new Date(now);
    day.setDate(day.getDate() + days);
    day.setHours(hour, 0, 0, 0);
    return day;
  };
  const result: ReminderMoment[] = [{ name: "hour", at: new Date(now.getTime() + 3_600_000) }];
  if (now.getHours() < EVENING_HOUR - 2) result.push({ name: "evening", at: inDays(0, EVENING_HOUR) });
  result.push({ name: "tomorrow", at: inDays(1, MORNING_HOUR) });
  const monday = (8 - now.getDay()) % 7 || 7;
  if (monday > 1) result.push({ name: "monday", at: inDays(monday, MORNING_HOUR) });
  return result;
}

/** A moment in words: `Mon 30 Nov, 09:00`. */
export const reminderText = (date: Date, locale: string): string =>
  new Intl.DateTimeFormat(variantOf(locale), {
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "numeric",
    minute: "numeric",
  }).format(date);
