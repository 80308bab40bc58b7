import { expect, test } from "vitest";
import { localHost } from "../../src/elements/localhost.ts";

// requirement: N8
test.each([
  ["http://localhost:3000/x", "localhost:3000"],
  ["http://LOCALHOST./", "localhost."],
  ["http://preview.localhost:1/", "preview.localhost:1"],
  ["http://127.0.0.1:18999/preview", "127.0.0.1:18999"],
  ["https://127.9.9.9/", "127.9.9.9"],
  ["http://2130706433:80/", "127.0.0.1"],
  ["http://0x7f000001/", "127.0.0.1"],
  ["http://0177.1/", "127.0.0.1"],
  ["http://user:word@127.1/", "127.0.0.1"],
  ["http://①②⑦.0.0.1/", "127.0.0.1"],
  ["http://0/", "0.0.0.0"],
  ["http://[::1]:5173/", "[::1]:5173"],
  ["http://[::]/", "[::]"],
  ["http://[::ffff:127.0.0.1]/", "[::ffff:7f00:1]"],
  ["http://[::127.0.0.1]/", "[::7f00:1]"],
])("%s leads to this computer", (href, host) => {
  expect(localHost(href)).toBe(host);
});

test.each([
  "https://example.com/",
  "https://localhost.example.com/",
  "https://127.0.0.1.example.com/",
  "https://notlocalhost/",
  "https://128.0.0.1/",
  "https://[2001:db8::1]/",
  "https://[::ffff:8.8.8.8]/",
  "mailto:a@localhost",
  "no address",
])("%s does not", (href) => {
  expect(localHost(href)).toBe("");
});
