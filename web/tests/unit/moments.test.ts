import { expect, test } from "vitest";
import { reminderMoments } from "../../src/app/places/inbox/moments.ts";

// requirement: K11
test.each([
  ["2026-11-23T08:30:00", ["hour", "evening", "tomorrow", "monday"], "2026-11-30T09:00:00"],
  ["2026-11-23T17:00:00", ["hour", "tomorrow", "monday"], "2026-11-30T09:00:00"],
  ["2026-11-28T10:00:00", ["hour", "evening", "tomorrow", "monday"], "2026-11-30T09:00:00"],
  ["2026-11-29T10:00:00", ["hour", "evening", "tomorrow"], "2026-11-30T09:00:00"],
])("at %s a reminder offers %s", (now, names, last) => {
  const momentList = reminderMoments(new Date(now));
  expect(momentList.map(({ name }) => name)).toEqual(names);
  expect(momentList.at(-1)?.at).toEqual(new Date(last));
  expect(momentList.every(({ at }) => at > new Date(now))).toBe(true);
});
