/**
 * Dates, times and moments as they are written in answers and bounds.
 *
 * A moment is RFC 3339 with an offset, or a local time with a zone as in RFC 9557
 * (`2026-11-20T09:00[Europe/Berlin]`); one with neither says nothing and is refused.
 */

export type MomentType = "date" | "time" | "datetime";

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^(\d{2}):(\d{2})(?::(\d{2}))?$/;
const MOMENT =
  /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}(?::\d{2})?)(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})?(?:\[([A-Za-z][\w+-]*(?:\/[\w+-]+)*)\])?$/;

/** A number that orders the values of one type, or null when `text` is no real one. */
export function instant(type: MomentType, text: string): number | null {
  if (type === "date") return dateMs(text);
  return type === "time" ? timeMs(text) : momentMs(text);
}

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

function momentMs(text: string): number | null {
  const [, date = "", time = "", fraction = "", offset, zone] = MOMENT.exec(text) ?? [];
  const [day, clock] = [dateMs(date), timeMs(time)];
  if (day === null || clock === null || (!offset && !zone)) return null;
  const local = day + clock + Number(`0${fraction}`) * 1000;
  const shift = offset ? offsetMs(offset) : null;
  if (offset && shift === null) return null;
  if (!zone) return local - (shift ?? 0);
  return zonedMs(local, zone, shift);
}

function offsetMs(text: string): number | null {
  if (text === "Z") return 0;
  const ms = timeMs(text.slice(1));
  return ms === null ? null : text.startsWith("-") ? -ms : ms;
}

/** The instants at which clocks in `zone` show `local`: none in a gap, the first of two in an overlap. */
function zonedMs(local: number, zone: string, shift: number | null): number | null {
  const offset = zoneOffset(zone);
  if (!offset) return null;
  const found = [local - DAY, local + DAY]
    .map((around) => local - offset(around))
    .filter((utc) => utc + offset(utc) === local && (shift === null || local - utc === shift));
  return found.length ? Math.min(...found) : null;
}

const DAY = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();

/** A function from an instant to the offset of `zone` then; null when there is no such zone. */
function zoneOffset(zone: string): ((utc: number) => number) | null {
  let format = formats.get(zone);
  try {
    format ??= new Intl.DateTimeFormat("en-US-u-ca-gregory-nu-latn", {
      timeZone: zone,
      hourCycle: "h23",
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch {
    return null;
  }
  formats.set(zone, format);
  const known = format;
  return (utc) => wallClock(known, utc) - Math.floor(utc / 1000) * 1000;
}

function wallClock(format: Intl.DateTimeFormat, utc: number): number {
  const part = Object.fromEntries(format.formatToParts(utc).map(({ type, value }) => [type, value]));
  const year = part.era === "BC" ? 1 - Number(part.year) : Number(part.year);
  const date = new Date(0);
  date.setUTCFullYear(year, Number(part.month) - 1, Number(part.day));
  date.setUTCHours(Number(part.hour), Number(part.minute), Number(part.second));
  return date.getTime();
}
