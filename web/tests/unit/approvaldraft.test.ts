import { expect, test } from "vitest";
import type { InputRequest, Json, ShownApproval } from "../../src/core/generated/wire.ts";
import {
  type ApprovalDraft,
  approvalBody,
  denialBody,
  EMPTY_DRAFT,
  editable,
  inputOf,
  isCommand,
} from "../../src/elements/approval/draft.ts";

const COMMAND: ShownApproval = {
  tool: "bash",
  input: { command: "make test", timeout: 5 },
  digest: "abc",
  rule: "bash(make test)",
  preview: { type: "command", headline: "bash: make test", parts: ["make test"] },
};
const ISSUE: ShownApproval = {
  tool: "create_issue",
  input: { title: "Off by one", labels: ["bug"] },
  digest: "def",
  preview: { type: "json", headline: "create_issue: …", parts: ["{}"] },
};

function request(approval: ShownApproval): InputRequest {
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

const edit = (patch: Partial<ApprovalDraft>): ApprovalDraft => ({ ...EMPTY_DRAFT, ...patch });
/** A body as it travels: what is not said is not there. */
const jsonOf = (body: unknown): unknown => JSON.parse(JSON.stringify(body));

test("an approval says what was seen and no more than was entered", () => {
  expect(jsonOf(approvalBody(request(COMMAND), EMPTY_DRAFT, "once"))).toEqual({
    revision: 3,
    decision: "approve",
    scope: "once",
    digest: "abc",
  });
});

test("a denialBody has the note, and nothing where only blanks are written", () => {
  const deny = { revision: 3, decision: "deny", digest: "abc" };
  expect(jsonOf(denialBody(request(COMMAND), edit({ note: " not now \n" })))).toEqual({
    ...deny,
    note: "not now",
  });
  expect(jsonOf(denialBody(request(COMMAND), edit({ note: " \n" })))).toEqual(deny);
});

test("a rule is sent when another one was chosen, and only with a scope that keeps it", () => {
  const changedDraft = edit({ rule: "bash(make:*)", script_may_change: true });
  expect(approvalBody(request(COMMAND), changedDraft, "always")).toMatchObject({
    rule: "bash(make:*)",
    script_may_change: true,
  });
  const onceBody = approvalBody(request(COMMAND), changedDraft, "once");
  expect([onceBody?.rule, onceBody?.script_may_change]).toEqual([undefined, undefined]);
  expect(denialBody(request(COMMAND), changedDraft)).toMatchObject({ scope: undefined, rule: undefined });
  expect(denialBody(request(COMMAND), changedDraft, true)).toMatchObject({
    scope: "always",
    rule: "bash(make:*)",
  });
});

test("of a shell call the command is edited, and all else of its input stays", () => {
  expect([isCommand(COMMAND), editable(COMMAND)]).toEqual([true, "make test"]);
  const body = approvalBody(request(COMMAND), edit({ edited_input: "make check" }), "once");
  expect(body?.edited_input).toEqual({ command: "make check", timeout: 5 });
  expect(
    approvalBody(request(COMMAND), edit({ edited_input: "make test" }), "once")?.edited_input,
  ).toBeUndefined();
});

test("any other input is edited as JSON, and what is no object is not sent", () => {
  expect(JSON.parse(editable(ISSUE))).toEqual(ISSUE.input);
  expect(inputOf(ISSUE, '{"title": "Off by two"}')).toEqual({ title: "Off by two" });
  for (const text of ["", "{", "[]", "null", '"text"']) {
    expect(inputOf(ISSUE, text)).toBeNull();
    expect(approvalBody(request(ISSUE), edit({ edited_input: text }), "once")).toBeNull();
  }
});

test("an argument vector is edited as what it is", () => {
  const argv: ShownApproval = {
    ...COMMAND,
    input: { argv: ["make", "test"] },
    preview: { type: "command", argv: true, headline: "bash: make test" },
  };
  expect(isCommand(argv)).toBe(false);
  expect(inputOf(argv, '{"argv": ["make"]}')).toEqual({ argv: ["make"] });
});

test("an edited input keeps the JSON type that it had", () => {
  const inputs: [Json, string, Json][] = [
    [["a"], '["b", 5]', ["b", 5]],
    ["a", '"b"', "b"],
    [5, "0", 0],
    [true, "false", false],
  ];
  for (const [input, text, means] of inputs) {
    const approval = { ...ISSUE, input };
    expect(inputOf(approval, editable(approval))).toEqual(input);
    expect(inputOf(approval, text)).toEqual(means);
    for (const other of ["{}", "null", "", "["]) expect(inputOf(approval, other)).toBeNull();
    const body = approvalBody(request(approval), edit({ edited_input: text }), "once");
    expect(jsonOf(body)).toMatchObject({ edited_input: means });
  }
});
