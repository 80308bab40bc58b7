import { afterEach, expect, test, vi } from "vitest";
import { reminderText } from "../../src/app/places/inbox/moments.ts";
import { momentText, timeLeft } from "../../src/elements/text.ts";

afterEach(() => vi.unstubAllGlobals());

const NOW = Date.parse("2026-11-20T12:00:00Z");

test.each([
  ["2026-11-20T11:59:59Z", ""],
  ["2026-11-20T12:00:45Z", "in 45 seconds"],
  ["2026-11-20T12:09:59Z", "in 9 minutes"],
  ["2026-11-20T13:00:00Z", "in 1 hour"],
  ["2026-11-21T11:30:00Z", "in 23 hours"],
  ["2026-11-24T11:00:00Z", "in 3 days"],
  ["2027-11-20T12:00:00Z", ""],
])("the time until %s is said as “%s”", (at, said) => {
  expect(timeLeft(at, NOW, "en")).toBe(said);
});

test("a date has its year only if it is another one", () => {
  vi.stubGlobal("navigator", { languages: ["en-US"] });
  const year = new Date().getFullYear();
  const farDate = new Date(year + 1, 5, 15, 9, 30).toISOString();
  const nearDate = new Date(year, new Date().getMonth() === 5 ? 6 : 5, 15, 9, 30).toISOString();
  expect(momentText(farDate, "en")).toContain(String(year + 1));
  expect(momentText(nearDate, "en")).not.toContain(String(year));
  expect(momentText(new Date().toISOString(), "en")).toMatch(/^\d{1,2}:\d{2}/);
});

test.each([
  ["en-US", "12:05 AM", "9:05 AM"],
  ["en-GB", "00:05", "09:05"],
  ["de", "00:05", "09:05"],
  ["es", "0:05", "9:05"],
])("times before ten are written as in %s", (locale, night, morning) => {
  vi.stubGlobal("navigator", { languages: [locale] });
  const at = (year: number, hour: number) => new Date(year, 5, 15, hour, 5);
  const today = new Date();
  today.setHours(0, 5);
  expect(momentText(today.toISOString(), locale)).toBe(night);
  expect(momentText(at(2020, 9).toISOString(), locale)).toContain(` ${morning}`);
  expect(reminderText(at(2020, 0), locale)).toContain(` ${night}`);
});
