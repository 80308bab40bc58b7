import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bulkChoice } from "../../src/app/places/inbox/bulk.ts";
import {
  chipsOf,
  type Filter,
  filterRequests,
  RequestFacts,
  valuesOf,
} from "../../src/app/places/inbox/filters.ts";
import { offsetsOf, visibleRange } from "../../src/app/ui/window.ts";
import type { InputRequest } from "../../src/core/generated/wire.ts";
import { translate } from "../../src/core/messages.ts";

const getText = (key: string, params?: Record<string, unknown>): string => translate(`ui.${key}`, params);

const request = (id: string, members: Partial<InputRequest> = {}): InputRequest => ({
  id,
  kind: "form",
  thread_id: "t",
  created_at: "2026-11-20T10:00:00Z",
  status: "pending",
  revision: 1,
  form: { title: `Title ${id}`, fields: [] },
  ...members,
});
const approval = (id: string, level: "normal" | "danger" = "normal", plan?: string): InputRequest =>
  request(id, { kind: "approval", form: null, approval: { tool: "make", risk: { level }, plan } });

const ids = (requests: readonly InputRequest[]): string[] => requests.map(({ id }) => id);

describe("filters", () => {
  const facts = new RequestFacts({ getText, locale: "en" }, (thread) =>
    thread === "t2" ? "Release 4.2" : thread,
  );
  const all = [
    request("a", { agent: { name: "bot" } }),
    approval("b"),
    request("c", { kind: "secret", form: null, secret: { names: ["KEY"], reason: "" }, thread_id: "t2" }),
    request("d", { kind: "oven", form: null, summary: "Bake" }),
  ];
  facts.mine = all.slice(0, 2);
  const noFilter: Filter = { show: "all", agent: "", thread: "", text: "" };

  it("leave everything, what an agent or a conversation has, and what has all words", () => {
    expect(filterRequests(all, noFilter, facts)).toBe(all);
    expect(ids(filterRequests(all, { ...noFilter, agent: "bot" }, facts))).toEqual(["a"]);
    expect(ids(filterRequests(all, { ...noFilter, thread: "t2" }, facts))).toEqual(["c"]);
    expect(ids(filterRequests(all, { ...noFilter, text: " KEY release" }, facts))).toEqual(["c"]);
    expect(ids(filterRequests(all, { ...noFilter, text: "key nothing" }, facts))).toEqual([]);
  });

  it("count, and are left out where there is nothing, but for the one that is chosen", () => {
    expect(chipsOf(all, "action", facts, getText).map(({ label, count }) => [label, count])).toEqual([
      ["All", 4],
      ["For me", 2],
      ["Approvals", 1],
      ["Questions", 2],
      ["Secrets", 1],
      ["Actions", 0],
    ]);
  });

  it("offer the values that there are, the most frequent first", () => {
    expect(
      valuesOf(
        all,
        ({ thread_id }) => thread_id,
        ({ thread_id }) => `<${thread_id}>`,
      ),
    ).toEqual([
      { id: "t", label: "<t>", count: 3 },
      { id: "t2", label: "<t2>", count: 1 },
    ]);
  });
});

// requirement: B25
it("dangerous calls and plans are never allowed together with others", () => {
  const requests = [approval("a"), approval("b", "danger"), approval("c", "normal", "1. Stop"), request("d")];
  const { approvals, others: otherRequests, allowableApprovals } = bulkChoice(requests);
  expect([ids(approvals), ids(otherRequests), ids(allowableApprovals)]).toEqual([
    ["a", "b", "c"],
    ["d"],
    ["a"],
  ]);
  const riskyRequest = {
    ...approval("e"),
    approval: { tool: "x", agent_risk: { level: "danger" as const } },
  };
  expect(bulkChoice([riskyRequest]).allowableApprovals).toEqual([]);
});

// requirement: B25
it("calls of which a part would be hidden are never allowed together with others", () => {
  const withInput = (id: string, input: Record<string, string>) => ({
    ...approval(id),
    approval: { tool: "bash", input },
  });
  const { approvals, allowableApprovals } = bulkChoice([
    withInput("short", { command: "make test\n".repeat(5) }),
    withInput("lines", { command: "make test\n".repeat(20) }),
    withInput("long", { command: "x".repeat(2_000) }),
    withInput("members", Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`note ${at}`, "ok"]))),
  ]);
  expect([ids(approvals), ids(allowableApprovals)]).toEqual([
    ["short", "lines", "long", "members"],
    ["short"],
  ]);
});

describe("the part of a long list that is in view", () => {
  const slots = ["group", "row", "row", "row", "group", "row"].map((style, at) => ({
    id: String(at),
    style,
  }));
  const offsets = offsetsOf(slots, { row: 10, group: 4 });

  it("is known by the heights of the styles", () => {
    expect(offsets).toEqual([0, 4, 14, 24, 34, 38, 48]);
    expect(visibleRange(offsets, 0, 20)).toEqual([0, 3]);
    expect(visibleRange(offsets, 14, 34)).toEqual([2, 4]);
    expect(visibleRange(offsets, 1e6, 2e6)).toEqual([6, 6]);
    expect(visibleRange(offsetsOf([], {}), 0, 100)).toEqual([0, 0]);
  });

  it("covers every pixel between its edges", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 60 })),
        fc.nat(3000),
        fc.nat(900),
        (heights, top, height) => {
          const styles = heights.map((_, at) => ({ id: String(at), style: String(at) }));
          const all = offsetsOf(styles, Object.fromEntries(heights.map((each, at) => [String(at), each])));
          const [first, end] = visibleRange(all, top, top + height);
          const last = all.at(-1) ?? 0;
          expect(first).toBeLessThanOrEqual(end);
          if (top < last) expect(all[first]).toBeLessThanOrEqual(top);
          expect(all[end]).toBeGreaterThanOrEqual(Math.min(top + height, last));
        },
      ),
    );
  });
});
