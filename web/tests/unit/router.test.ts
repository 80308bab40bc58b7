import { describe, expect, it, vi } from "vitest";
import type { PlaceEntry } from "../../src/app/place.ts";
import { match, pathOf, withLanguage } from "../../src/app/router.ts";

const place = (name: string): PlaceEntry => ({ name, icon: null, load: vi.fn() }) as unknown as PlaceEntry;
const places = [place("inbox"), place("rules")];
const at = (path: string) => {
  const { place, item } = match(new URL(path, "http://a"), places);
  return [place?.name, item];
};

describe("an address", () => {
  it.each([
    ["/", ["inbox", ""]],
    ["/inbox", ["inbox", ""]],
    ["/inbox/req_1", ["inbox", "req_1"]],
    ["/rules/a%2Fb", ["rules", "a/b"]],
    ["/rules/%", ["rules", "%"]],
    ["/rules/a/b", [undefined, "a"]],
    ["/nothing", [undefined, ""]],
    ["/constructor", [undefined, ""]],
  ])("%s names %j", (path, found) => {
    expect(at(path)).toEqual(found);
  });

  it("comes back from its path", () => {
    for (const [name, item] of [
      ["inbox", ""],
      ["inbox", "req_1"],
      ["rules", "a/b ?#"],
    ] as const)
      expect(at(pathOf(name, item))).toEqual([name, item]);
  });

  it("keeps the language that it asks for", () => {
    vi.stubGlobal("location", { origin: "http://a", search: "?lang=de&x=1" });
    expect(withLanguage("/rules?q=a")).toBe("/rules?q=a&lang=de");
    expect(withLanguage("/?lang=en")).toBe("/?lang=en");
    vi.unstubAllGlobals();
  });
});
