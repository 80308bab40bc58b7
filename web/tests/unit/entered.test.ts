import { expect, test } from "vitest";
import type { Approval } from "../../src/core/approval.ts";
import type { InputRequest } from "../../src/core/wire.ts";
import {
  approvalOf,
  denial,
  type Entered,
  editable,
  inputOf,
  isCommand,
  NOTHING,
} from "../../src/elements/approval/entered.ts";

const COMMAND: Approval = {
  tool: "bash",
  input: { command: "make test", timeout: 5 },
  digest: "abc",
  rule: "bash(make test)",
  preview: { type: "command", headline: "bash: make test", parts: ["make test"] },
};
const ISSUE: Approval = {
  tool: "create_issue",
  input: { title: "Off by one", labels: ["bug"] },
  digest: "def",
  preview: { type: "json", headline: "create_issue: …", parts: ["{}"] },
};

function request(approval: Approval): InputRequest {
  return {
    id: "req_1",
    kind: "approval",
    thread_id: "t1",
    created_at: "2026-11-20T09:00:00.000Z",
    status: "pending",
    revision: 3,
    approval,
  };
}

const enter = (patch: Partial<Entered>): Entered => ({ ...NOTHING, ...patch });
/** A body as it travels: what is not said is not there. */
const sent = (body: unknown): unknown => JSON.parse(JSON.stringify(body));

test("an approval says what was seen and no more than was entered", () => {
  expect(sent(approvalOf(request(COMMAND), NOTHING, "once"))).toEqual({
    revision: 3,
    decision: "approve",
    scope: "once",
    digest: "abc",
  });
});

test("a denial has the note, and nothing where only blanks are written", () => {
  const deny = { revision: 3, decision: "deny", digest: "abc" };
  expect(sent(denial(request(COMMAND), enter({ note: " not now \n" })))).toEqual({
    ...deny,
    note: "not now",
  });
  expect(sent(denial(request(COMMAND), enter({ note: " \n" })))).toEqual(deny);
});

test("a rule is sent when another one was chosen, and only with a scope that keeps it", () => {
  const changed = enter({ rule: "bash(make:*)", script_may_change: true });
  expect(approvalOf(request(COMMAND), changed, "always")).toMatchObject({
    rule: "bash(make:*)",
    script_may_change: true,
  });
  const once = approvalOf(request(COMMAND), changed, "once");
  expect([once?.rule, once?.script_may_change]).toEqual([undefined, undefined]);
  expect(denial(request(COMMAND), changed)).toMatchObject({ scope: undefined, rule: undefined });
  expect(denial(request(COMMAND), changed, true)).toMatchObject({ scope: "always", rule: "bash(make:*)" });
});

test("of a shell call the command is edited, and all else of its input stays", () => {
  expect([isCommand(COMMAND), editable(COMMAND)]).toEqual([true, "make test"]);
  const body = approvalOf(request(COMMAND), enter({ edited_input: "make check" }), "once");
  expect(body?.edited_input).toEqual({ command: "make check", timeout: 5 });
  expect(
    approvalOf(request(COMMAND), enter({ edited_input: "make test" }), "once")?.edited_input,
  ).toBeUndefined();
});

test("any other input is edited as JSON, and what is no object is not sent", () => {
  expect(JSON.parse(editable(ISSUE))).toEqual(ISSUE.input);
  expect(inputOf(ISSUE, '{"title": "Off by two"}')).toEqual({ title: "Off by two" });
  for (const text of ["", "{", "[]", "null", '"text"']) {
    expect(inputOf(ISSUE, text)).toBeNull();
    expect(approvalOf(request(ISSUE), enter({ edited_input: text }), "once")).toBeNull();
  }
});

test("an argument vector is edited as what it is", () => {
  const argv: Approval = {
    ...COMMAND,
    input: { argv: ["make", "test"] },
    preview: { type: "command", argv: true, headline: "bash: make test" },
  };
  expect(isCommand(argv)).toBe(false);
  expect(inputOf(argv, '{"argv": ["make"]}')).toEqual({ argv: ["make"] });
});
