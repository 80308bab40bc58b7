// Builds the pages: together those that share their chunks, and each of the others by itself. `manifest.json` tells what
// belongs to what, for each build.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { build } from "vite";

const out = new URL("../../src/askback/static/", import.meta.url);
const manifest = new URL("manifest.json", out);
/** A conversation has to fit into 20 kB; the view of MCP Apps is one document. */
const ALONE = ["thread", "mcp"];
const pages = readdirSync(new URL("../pages", import.meta.url))
  .filter((name) => name.endsWith(".html"))
  .map((name) => name.slice(0, -".html".length));

rmSync(out, { recursive: true, force: true });
const whole = {};
for (const mode of [pages.filter((page) => !ALONE.includes(page)).join(" "), ...ALONE]) {
  await build({ mode, logLevel: "warn" });
  whole[mode] = JSON.parse(readFileSync(manifest, "utf8"));
}
// The examples are written for people to read; a browser needs no blanks.
for (const name of readdirSync(new URL("assets/", out)).filter((name) => name.endsWith(".json"))) {
  const file = new URL(`assets/${name}`, out);
  writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, "utf8"))));
}
writeFileSync(manifest, JSON.stringify(whole));
