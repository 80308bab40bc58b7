import { expect, test } from "vitest";
import { audience, isSame, type Person, readOnlyReason } from "../../src/core/audience.ts";
import type { InputRequest, Level } from "../../src/core/generated/wire.ts";
import { isNewer } from "../../src/core/lifecycle.ts";

const request = (members: Partial<InputRequest> = {}): InputRequest => ({
  id: "r1",
  kind: "form",
  thread_id: "t1",
  created_at: "2026-11-20T09:00:00.000Z",
  status: "pending",
  revision: 1,
  ...members,
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

test("an assignment replaces those whom the agent named, and null brings them back", () => {
  const assignment = { by: { id: "x", name: "Bob" }, at: "2026-11-20T09:00:00.000Z", number: 1 };
  const assignedRequest = request({
    assignees: ["Bob"],
    assignment: { ...assignment, assignees: ["group:ops"] },
  });
  expect([readOnlyReason(assignedRequest, ADA), audience(assignedRequest)]).toEqual([undefined, "ops"]);
  const returnedRequest = { ...assignedRequest, assignment: { ...assignment, assignees: null, number: 2 } };
  expect(readOnlyReason(returnedRequest, ADA)).toBe("for");
  expect(isNewer(returnedRequest, assignedRequest)).toBe(true);
  expect(isNewer(assignedRequest, returnedRequest)).toBe(false);
});

test("where the agent named nobody, whom an escalation added excludes nobody", () => {
  expect(readOnlyReason(request({ assigned: ["Bob"] }), ADA)).toBeUndefined();
});

test.each([
  ["another session of the user", { id: "ses_2", name: "A", user: "ada@example" }, true],
  ["the token whose id is the user", { id: "ada@example", name: "A" }, true],
  ["somebody with the same name", { id: "ses_3", name: "Ada" }, false],
  ["nobody", undefined, false],
])("%s: whether it is the same person", (_, other, same) => {
  expect(isSame(ADA, other)).toBe(same);
});
