/** requirement: J8 - what a person typed is kept for a day, by person and request, and never what is sensitive. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Field, Form, Option } from "../../src/core/generated/wire.ts";
import { DECISION_MS, RetryScheduler } from "../../src/elements/drafts/retry.ts";
import { DraftStorage, storedEntries, withEntry } from "../../src/elements/drafts/storage.ts";
import { eraseDrafts, type TextStorage } from "../../src/elements/drafttypes.ts";
import { EMPTY, type Entry } from "../../src/elements/entries.ts";
import { meaningsOf } from "../../src/elements/meaning.ts";

/** A `localStorage`, which may be full. */
class ErrorTarget extends Map<string, string> implements TextStorage {
  full = false;

  get length(): number {
    return this.size;
  }

  getItem(key: string): string | null {
    return this.get(key) ?? null;
  }

  setItem(key: string, text: string): void {
    if (this.full) throw new DOMException("full", "QuotaExceededError");
    this.set(key, text);
  }

  removeItem(key: string): void {
    this.delete(key);
  }

  key(at: number): string | null {
    return [...this.keys()][at] ?? null;
  }
}

const entry = (more: Partial<Entry>): Entry => ({ ...EMPTY, ...more });
const field = (id: string, more = {}): Field => ({ id, type: "text", label: id, ...more }) as Field;

beforeEach(() => vi.useFakeTimers({ now: new Date("2026-11-22T12:00:00Z") }));
afterEach(() => vi.useRealTimers());

test("a draft is its person's and its request's", () => {
  const place = new ErrorTarget();
  new DraftStorage(place, "Eva/x").write("req_1", "half");
  expect(new DraftStorage(place, "Eva/x").read("req_1")).toBe("half");
  expect(new DraftStorage(place, "Eva").read("x/req_1")).toBeUndefined();
  expect(new DraftStorage(place, "Eva/x").read("req_2")).toBeUndefined();
});

test("no tab stores drafts after one was told to stop", () => {
  const place = new ErrorTarget();
  const [storage, other] = [new DraftStorage(place, "Eva"), new DraftStorage(place, "Eva")];
  storage.stop();
  other.write("req_1", "half");
  expect([other.enabled, [...place.keys()]]).toEqual([false, ["askback.drafts"]]);
});

test("a draft is erased a day after the last change", () => {
  const place = new ErrorTarget();
  new DraftStorage(place, "Eva").write("req_1", "half");
  vi.advanceTimersByTime(86_399_000);
  expect(new DraftStorage(place, "Eva").read("req_1")).toBe("half");
  vi.advanceTimersByTime(2_000);
  new DraftStorage(place, "Bob");
  expect([...place.keys()]).toEqual([]);
});

test("what is no draft, or somebody else's key, is left alone or thrown away, and breaks nothing", () => {
  const place = new ErrorTarget();
  place.set("other", "kept");
  place.set("askback.draft/Eva/req_1", "{");
  expect(new DraftStorage(place, "Eva").read("req_1")).toBeUndefined();
  expect([...place.keys()]).toEqual(["other"]);
  eraseDrafts(place);
  expect([...place.keys()]).toEqual(["other"]);
});

test("a full disk keeps nothing and hinders nobody", () => {
  const drafts = new DraftStorage(Object.assign(new ErrorTarget(), { full: true }), "Eva");
  drafts.write("req_1", "half");
  expect(drafts.read("req_1")).toBeUndefined();
});

test("what is chosen of a source is restored with its label, and of nothing else", () => {
  const options = [{ value: 7, label: "Seven" }, "odd"];
  const choice = { type: "select", options: [] };
  const source = field("a", { ...choice, options_from: { source: "places" } });
  const sourced: Form = { fields: [source] };
  const chosen = entry({ chosen: [7, 9], options: options as unknown as Option[] });
  const keptEntries = [["a", chosen, "a", meaningsOf(sourced, source, chosen)]];
  const restored = entry({ chosen: [7], options: [{ value: 7, label: "Seven" }] });
  expect(storedEntries(sourced, keptEntries)).toEqual(new Map([["a", restored]]));
  expect(storedEntries({ fields: [field("a", choice)] }, keptEntries)).toEqual(new Map([["a", EMPTY]]));
});

test("only what was changed is kept, and nothing that is sensitive", () => {
  const [a, b, c] = [field("a"), field("b"), field("c", { sensitive: true })];
  const form: Form = { fields: [a, b, c] };
  const start = new Map([["a", entry({ text: "as it was" })]]);
  const draft = new Map([
    ["a", entry({ text: "as it was" })],
    ["b", entry({ text: "typed" })],
    ["c", entry({ text: "hunter2" })],
  ]);
  const typed = [["b", entry({ text: "typed" }), "b"]];
  expect(withEntry(undefined, form, b, draft, start)).toEqual(typed);
  expect(withEntry(typed, form, c, draft, start)).toEqual(typed);
  expect(withEntry(typed, form, a, draft, start)).toEqual(typed);
  expect(withEntry(typed, form, b, start, start)).toEqual([]);
  const sensitiveForm: Form = { fields: [a, { ...b, sensitive: true } as Field] };
  expect(withEntry(typed, sensitiveForm, a, draft, start)).toEqual([]);
});

test("what another tab has typed in other fields is left as it is", () => {
  const [a, b] = [field("a"), field("b")];
  const form: Form = { fields: [a, b] };
  const [start, other] = [new Map<string, Entry>(), ["b", entry({ text: "other tab" }), "b"]];
  const draft = new Map([
    ["a", entry({ text: "here" })],
    ["b", entry({ text: "an hour ago" })],
  ]);
  const gone = ["gone", entry({ text: "of a field that was removed" }), "Gone"];
  expect(withEntry([other, gone], form, a, draft, start)).toEqual([
    other,
    gone,
    ["a", entry({ text: "here" }), "a"],
  ]);
});

test("what was kept fits the form as it is now", () => {
  const options = [{ value: "x", label: "X" }];
  const [choice, box] = [field("a", { type: "select", options }), field("box", { type: "checkbox" })];
  const form: Form = { fields: [choice, field("__proto__"), field("s", { sensitive: true }), box] };
  const keptEntries = [
    ...JSON.parse('[["__proto__",{"text":"fine"}],["gone",{}],["s",{"text":"no"}],3,["a"]]'),
    [
      "a",
      { text: 7, chosen: ["gone", "x"], other: true, on: "yes" },
      "a",
      meaningsOf(form, choice, entry({ chosen: ["x"] })),
    ],
    ["box", { on: true }, "box", meaningsOf(form, box, entry({ on: true }))],
  ];
  expect(storedEntries(form, keptEntries)).toEqual(
    new Map([
      ["__proto__", entry({ text: "fine" })],
      ["a", entry({ chosen: ["x"] })],
      ["box", entry({ on: true })],
    ]),
  );
  expect(storedEntries(form, { a: 1 })).toBeUndefined();
});

test("a decision is sent again for two minutes, a form for as long as it takes (requirement: C18)", () => {
  for (const [decision, more] of [
    [true, false],
    [false, true],
  ] as const) {
    const client = Object.assign(new EventTarget(), { send: async () => ({}) as never, link: "online" });
    let sendCount = 0;
    let changeCount = 0;
    const scheduler = new RetryScheduler(
      client,
      () => sendCount++,
      decision,
      () => changeCount++,
    );
    client.link = "offline";
    vi.advanceTimersByTime(60_000);
    expect(sendCount).toBe(0);
    client.link = "online";
    client.dispatchEvent(new Event("link"));
    expect(sendCount).toBe(1);
    vi.advanceTimersByTime(DECISION_MS);
    const before = sendCount;
    vi.advanceTimersByTime(600_000);
    client.dispatchEvent(new Event("link"));
    expect([sendCount > before, scheduler.active, changeCount]).toEqual([more, more, decision ? 1 : 0]);
    scheduler.stop();
    vi.advanceTimersByTime(600_000);
    expect(scheduler.active).toBe(false);
  }
});

test("a choice is restored only where it says the same as when it was made; typed text always", () => {
  const optionsOf = (...labels: string[]) => labels.map((label, at) => ({ value: `${at}`, label }));
  const choice = field("a", { type: "radio", options: optionsOf("Keep it", "Delete it"), allow_other: true });
  const box = field("b", { type: "checkbox", label: "Keep a copy" });
  const form: Form = { title: "What now?", fields: [choice, box] };
  const draft = new Map([
    ["a", entry({ chosen: ["0"], text: "kept" })],
    ["b", entry({ on: true })],
  ]);
  const stored = withEntry(withEntry(undefined, form, choice, draft, new Map()), form, box, draft, new Map());
  const restoredIn = (changed: Form) => storedEntries(changed, stored);
  expect(restoredIn(form)).toEqual(draft);
  const more = { ...choice, options: optionsOf("Keep it", "Delete all", "Ask me later") } as Field;
  expect(restoredIn({ ...form, fields: [more, box] })).toEqual(draft);
  const lost = new Map([
    ["a", entry({ text: "kept" })],
    ["b", EMPTY],
  ]);
  const swapped = { ...choice, options: optionsOf("Delete it", "Keep it") } as Field;
  const relabelled = { ...box, label: "Delete the copy" };
  expect(restoredIn({ ...form, fields: [swapped, relabelled] })).toEqual(lost);
  expect(restoredIn({ ...form, title: "What must go?" })).toEqual(lost);
  expect(
    restoredIn({ title: form.title, sections: [{ id: "s", title: "Delete", fields: [choice, box] }] }),
  ).toEqual(lost);
});
