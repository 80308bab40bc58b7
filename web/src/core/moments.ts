/**
 * Dates, times and moments as they are written in answers and bounds.
 *
 * A moment is RFC 3339 with an offset, or a local time with a zone as in RFC 9557
 * (`2026-11-20T09:00[Europe/Berlin]`); one with neither says nothing and is refused.
 */

import type { Reason } from "./values.ts";
import type { MomentField } from "./wire.ts";

export type MomentType = "date" | "time" | "datetime";

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^(\d{2}):(\d{2})(?::(\d{2}))?$/;
const MOMENT = /^([\d-]+)[Tt]([\d:]+)(?:\.(\d{1,9}))?([Zz]|[+-]\d{2}:\d{2})?(?:\[([\w+/-]+)\])?$/;

/** A number that orders the values of one type (nanoseconds), or null when `text` is no real one. */
export function instant(type: MomentType, text: string): bigint | null {
  if (type === "datetime") return moment(text);
  const ms = type === "date" ? dateMs(text) : timeMs(text);
  return ms === null ? null : BigInt(ms) * NS_IN_MS;
}

/** What is wrong with a value that was given for `field`, if anything. */
export function checkMoment({ type, min, max }: MomentField, value: string): Reason | null {
  const at = instant(type, value);
  if (at === null) return [`invalid_${type}`];
  const variant = type === "time" ? "time" : "date";
  if (min != null && at < (instant(type, min) ?? at)) return [`below_min.${variant}`, { min }];
  return max != null && at > (instant(type, max) ?? at) ? [`above_max.${variant}`, { max }] : null;
}

const NS_IN_MS = 1_000_000n;

function dateMs(text: string): number | null {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (!year || year === "0000") return null;
  const date = new Date(`${text}T00:00:00Z`);
  return date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day)
    ? date.getTime()
    : null;
}

function timeMs(text: string): number | null {
  const [, hours, minutes, seconds = "00"] = TIME.exec(text) ?? [];
  if (!hours || !minutes || hours > "23" || minutes > "59" || seconds > "59") return null;
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
}

function moment(text: string): bigint | null {
  const [, date = "", time = "", fraction = "", offset, zone] = MOMENT.exec(text) ?? [];
  const [day, clock] = [dateMs(date), timeMs(time)];
  // A fraction is one of seconds.
  if (day === null || clock === null || (fraction && time.length < 8)) return null;
  const ms = momentMs(day + clock, offset?.toUpperCase(), zone);
  return ms === null ? null : BigInt(ms) * NS_IN_MS + BigInt(fraction.padEnd(9, "0"));
}

/** A numeric offset beside a zone must be the zone's own; `Z` only says which moment is meant. */
function momentMs(local: number, offset: string | undefined, zone: string | undefined): number | null {
  const shift = offset ? offsetMs(offset) : null;
  if (offset && shift === null) return null;
  if (zone === undefined) return shift === null ? null : local - shift;
  const zoneShift = zoneOffset(zone);
  if (!zoneShift) return null;
  return offset === "Z" ? local : zonedMs(local, zoneShift, shift);
}

function offsetMs(text: string): number | null {
  if (text === "Z") return 0;
  const ms = timeMs(text.slice(1));
  return ms === null ? null : text.startsWith("-") ? -ms : ms;
}

/** The instants at which clocks in `zone` show `local`: none in a gap, the first of two in an overlap. */
function zonedMs(local: number, zoneShift: (utc: number) => number, shift: number | null): number | null {
  const found = [local - DAY, local + DAY]
    .map((around) => local - zoneShift(around))
    .filter((utc) => utc + zoneShift(utc) === local && (shift === null || local - utc === shift));
  return found.length ? Math.min(...found) : null;
}

const DAY = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();

/** A function from an instant to the offset of `zone` then; null when there is no zone of this very spelling. */
function zoneOffset(zone: string): ((utc: number) => number) | null {
  try {
    const format =
      formats.get(zone) ?? new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" });
    const { timeZone } = format.resolvedOptions();
    if (timeZone !== zone && timeZone.toLowerCase() === zone.toLowerCase()) return null;
    formats.set(zone, format);
    return (utc) => offsetMs(format.format(utc).split("GMT")[1] || "Z") ?? 0;
  } catch {
    return null;
  }
}
