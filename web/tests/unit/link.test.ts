import { expect, test } from "vitest";
import { linkHost } from "../../src/core/link.ts";
import { cases } from "./cases.ts";

test.each(cases<{ url: string; host: string | null }>("links"))("$id: $shows", ({ url, host }) => {
  expect(linkHost(url) ?? null).toBe(host);
});
