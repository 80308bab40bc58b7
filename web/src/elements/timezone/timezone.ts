import texts from "../../../../src/askback/messages/en.json?timezone&texts" with { type: "json" };
import { addTexts } from "../../core/messages.ts";
import { onDemand } from "../ondemand.ts";
import type { GetText } from "../text.ts";

addTexts(texts);

/** The browser's zone, such as `Europe/Berlin`. */
const zoneName = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

export const zoneText = (getText: GetText): string => getText("zone", { zone: zoneName() });

const MINUTE_MS = 60_000;

/** The local time at that moment, to the minute. */
const localTimeText = (date: Date): string =>
  new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);

/**
 * A local time as an input has it, with its offset and zone: `2026-11-20T09:00:00+01:00[Europe/Berlin]`.
 *
 * A time that a change of the clocks leaves out keeps the text as it is, so that the check refuses it.
 */
export function withZone(local: string): string {
  const date = new Date(local);
  if (Number.isNaN(date.getTime()) || localTimeText(date) !== local.slice(0, 16)) return local;
  const minutes = date.getTimezoneOffset();
  const size = new Date(Math.abs(minutes) * MINUTE_MS).toISOString().slice(11, 16);
  const offset = (minutes > 0 ? "-" : "+") + size;
  return `${local.length === 16 ? `${local}:00` : local}${offset}[${zoneName()}]`;
}

/** A moment with an offset or a zone, as the local time that an input of this browser shows; else empty. */
export function localOf(moment: string): string {
  const [stamp = "", zone] = moment.split("[");
  if (/(Z|[+-]\d\d:\d\d)$/i.test(stamp)) {
    const date = new Date(stamp);
    return Number.isNaN(date.getTime()) ? "" : localTimeText(date);
  }
  return zone && zone.slice(0, -1) === zoneName() ? stamp.slice(0, 16) : "";
}

Object.assign(onDemand, { localOf, withZone, zoneText });

/** The kind of a request stays as it is. */
export const mixins = { timezone: <T>(Inner: T): T => Inner };
