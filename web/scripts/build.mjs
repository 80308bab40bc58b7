// Builds each page by itself: one script for a page compresses far better than parts that pages share, and the
// browser waits for one file only. `manifest.json` tells what belongs to which page.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { build } from "vite";

const out = new URL("../../src/askback/static/", import.meta.url);
const manifest = new URL("manifest.json", out);
const pages = readdirSync(new URL("../pages", import.meta.url))
  .filter((name) => name.endsWith(".html"))
  .map((name) => name.slice(0, -".html".length));

rmSync(out, { recursive: true, force: true });
const whole = {};
for (const mode of pages) {
  await build({ mode, logLevel: "warn" });
  whole[mode] = JSON.parse(readFileSync(manifest, "utf8"));
}
// The examples are written for people to read; a browser needs no blanks.
for (const name of readdirSync(new URL("assets/", out)).filter((name) => name.endsWith(".json"))) {
  const file = new URL(`assets/${name}`, out);
  writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, "utf8"))));
}
writeFileSync(manifest, `${JSON.stringify(whole, null, 2)}\n`);
