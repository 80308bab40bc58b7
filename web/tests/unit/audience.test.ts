import { expect, test } from "vitest";
import { type Person, readOnlyReason } from "../../src/core/audience.ts";
import type { InputRequest, Level } from "../../src/core/generated/wire.ts";

const request = (more: Partial<InputRequest> = {}): InputRequest => ({
  id: "r1",
  kind: "form",
  thread_id: "t1",
  created_at: "2026-11-20T09:00:00.000Z",
  status: "pending",
  revision: 1,
  ...more,
});

const ADA: Person = { id: "ses_1", name: "Ada", user: "ada@example", groups: ["ops"] };

test.each<[string, Level, "view" | undefined]>([
  ["form", "view", "view"],
  ["secret", "view", "view"],
  ["approval", "view", "view"],
  ["form", "prompt", undefined],
  ["secret", "prompt", undefined],
  ["approval", "prompt", "view"],
  ["approval", "all", undefined],
  ["approval", "owner", undefined],
])("a %s at the level %s", (kind, level, hinders) => {
  expect(readOnlyReason(request({ kind, level }), ADA)).toBe(hinders);
});

test.each(["ses_1", "ada@example", "group:ops"])("somebody is meant by %s", (name) => {
  expect(readOnlyReason(request({ assignees: ["Bob", name] }), ADA)).toBeUndefined();
});

test.each(["ops", "group:Ada", "ada", "Ada"])("nobody is meant by %s", (name) => {
  expect(readOnlyReason(request({ assignees: [name] }), ADA)).toBe("for");
});

test("who was added since is meant as well, and nobody knows of a stranger", () => {
  expect(readOnlyReason(request({ assignees: ["Bob"], assigned: ["group:ops"] }), ADA)).toBeUndefined();
  expect(readOnlyReason(request({ assignees: ["Bob"] }), undefined)).toBeUndefined();
});
