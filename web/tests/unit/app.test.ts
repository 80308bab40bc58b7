import { describe, expect, it } from "vitest";
import { groupRequests } from "../../src/app/places/inbox/groups.ts";
import { detailOf, titleOf } from "../../src/app/places/inbox/words.ts";
import { ago, countdown, duration } from "../../src/app/ui/durations.ts";
import type { InputRequest, Rich, ShownApproval } from "../../src/core/generated/wire.ts";
import { translate } from "../../src/core/messages.ts";

const reader = {
  getText: (key: string, params?: Record<string, unknown>): string => translate(`ui.${key}`, params),
  locale: "en",
} as const;

const request = (members: Partial<InputRequest>): InputRequest => ({
  id: "req_1",
  kind: "form",
  thread_id: "t",
  created_at: "2026-11-20T10:00:00Z",
  status: "pending",
  revision: 1,
  ...members,
});

const call = (approval: ShownApproval): InputRequest => request({ kind: "approval", approval });

describe("what a row says", () => {
  it("is the sentence of the server about a call, never what the agent calls it", () => {
    const preview = { type: "command", headline: "Run: make deploy" } as const;
    const headline = call({ tool: "bash", title: "Nothing to see", preview });
    expect(titleOf(headline, reader)).toBe("Run: make deploy");
    const headline_code = { code: "command", params: { command: "make" } };
    expect(titleOf(call({ tool: "bash", preview: { ...preview, headline_code } }), reader)).toBe("Run: make");
  });

  it("says how many secrets are asked for, and why", () => {
    const secret = { names: ["A", "B"], reason: "the export" };
    expect(titleOf(request({ kind: "secret", secret }), reader)).toBe("2 secrets: the export");
    expect(detailOf(request({ kind: "secret", secret }), reader)).toBe("A, B");
    expect(detailOf(request({ kind: "secret", secret: { ...secret, hide_names: true } }), reader)).toBe("");
  });

  it("is the text of a reason in Markdown", () => {
    const bold: Rich = { type: "strong", children: ["the export"] };
    const view: InputRequest["view"] = {
      markdown: { "secret.reason": [{ type: "p", children: ["For ", bold] }] },
    };
    const secret = { names: ["A"], reason: "For **the export**" };
    expect(titleOf(request({ kind: "secret", secret, view }), reader)).toBe("1 secret: For the export");
    const trees = { markdown: { "approval.reason": [bold, " now"] } };
    expect(detailOf({ ...call({ tool: "bash", reason: "**the export** now" }), view: trees }, reader)).toBe(
      "the export now",
    );
  });

  it("puts danger before everything else", () => {
    const approval: ShownApproval = { tool: "bash", title: "Harmless", risk: { level: "danger" }, quorum: 2 };
    expect(detailOf(call(approval), reader)).toBe("Dangerous");
    expect(detailOf(call({ ...approval, risk: {}, agent_risk: { level: "danger" } }), reader)).toBe(
      "Dangerous",
    );
  });
});

describe("the groups", () => {
  const now = Date.parse("2026-11-20T12:00:00Z");
  const at = (id: string, created_at: string, expires_at?: string) => request({ id, created_at, expires_at });

  it("are what is due, by its deadline, then today and earlier as they come", () => {
    const list = [
      at("new", "2026-11-20T11:00:00Z"),
      at("later", "2026-11-20T10:00:00Z", "2026-11-20T12:30:00Z"),
      at("far", "2026-11-20T09:00:00Z", "2026-11-21T12:00:00Z"),
      at("sooner", "2026-11-19T09:00:00Z", "2026-11-20T12:10:00Z"),
      at("old", "2026-11-19T08:00:00Z"),
    ];
    const groups = groupRequests(list, now, Date.parse("2026-11-20T00:00:00Z"));
    expect(groups.map(([name, members]) => [name, members.map(({ id }) => id)])).toEqual([
      ["due", ["sooner", "later"]],
      ["today", ["new", "far"]],
      ["earlier", ["old"]],
    ]);
    expect(groupRequests([], now, 0)).toEqual([]);
  });
});

describe("times", () => {
  it("count down by the second below an hour", () => {
    expect([-5, 0, 9.9, 102, 3599, 3600, 90_000].map((left) => countdown(left, "en"))).toEqual([
      "0:00",
      "0:00",
      "0:09",
      "1:42",
      "59:59",
      "1 hr",
      "1 day",
    ]);
  });

  it("are said in the largest unit", () => {
    expect([60, 3599, 7200, 200_000].map((s) => duration(s, "de"))).toEqual([
      "1 Min.",
      "59 Min.",
      "2 Std.",
      "2 Tage",
    ]);
    expect([61, 7200, 90_000].map((s) => ago(s, "en"))).toEqual(["1 minute ago", "2 hours ago", "1 day ago"]);
  });
});
