// Fails when what a page loads for a reader of English is over its budget: brotli, quality 11, as the server would
// send it. The texts of another language come as one more file.
import { readdirSync, readFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

const PAGE_BUDGET = 20_000;
const TOTAL_BUDGET = 250_000;

const root = new URL("../../src/askback/static/", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL("manifest.json", root), "utf8"));
const weigh = (name) =>
  brotliCompressSync(readFileSync(new URL(name, root)), {
    params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
  }).length;

/** Every file that an entry loads: itself, its styles, and the same of what it imports. */
function load(key, seen) {
  const chunk = manifest[key];
  if (seen.has(chunk.file)) return seen;
  seen.add(chunk.file);
  for (const style of chunk.css ?? []) seen.add(style);
  for (const child of chunk.imports ?? []) load(child, seen);
  return seen;
}

let failed = false;
for (const key of Object.keys(manifest).filter((name) => manifest[name].isEntry)) {
  const bytes = [...load(key, new Set())].reduce((sum, name) => sum + weigh(name), 0);
  failed ||= bytes > PAGE_BUDGET;
  console.log(`${key}: ${bytes} of ${PAGE_BUDGET} bytes${bytes > PAGE_BUDGET ? "  OVER" : ""}`);
}
const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
const total = files.reduce((sum, entry) => sum + readFileSync(`${entry.parentPath}/${entry.name}`).length, 0);
failed ||= total > TOTAL_BUDGET;
console.log(`static: ${total} of ${TOTAL_BUDGET} bytes uncompressed`);
process.exit(failed ? 1 : 0);
