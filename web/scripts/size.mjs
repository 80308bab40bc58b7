// Fails when what a page loads to do its work for a reader of English is over its budget: every script and style,
// also those that are fetched on demand; brotli, quality 11, as the server would send it. The texts of another
// language are a file of their own, listed apart; the gallery is no page for users and has only to stay sane.
import { readdirSync, readFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

const PAGE_BUDGET = 20_000;
const TOTAL_BUDGET = 350_000;

const root = new URL("../../src/askback/static/", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL("manifest.json", root), "utf8"));
const weigh = (name) =>
  brotliCompressSync(readFileSync(new URL(name, root)), {
    params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
  }).length;

/** Every file that an entry loads: itself, its styles, and the same of what it imports, now or on demand. */
function load(chunks, key, seen) {
  const chunk = chunks[key];
  if (seen.has(chunk.file)) return seen;
  seen.add(chunk.file);
  for (const style of chunk.css ?? []) seen.add(style);
  for (const child of [...(chunk.imports ?? []), ...(chunk.dynamicImports ?? [])])
    if (!child.includes("/messages/")) load(chunks, child, seen);
  return seen;
}

let failed = false;
for (const [page, chunks] of Object.entries(manifest)) {
  const bytes = [...load(chunks, `${page}.html`, new Set())].reduce((sum, name) => sum + weigh(name), 0);
  const over = page !== "gallery" && bytes > PAGE_BUDGET;
  failed ||= over;
  const others = Object.values(chunks).filter(({ src }) => src?.includes("/messages/"));
  const more = others.map(({ name, file }) => `${name} ${weigh(file)} more`).join(", ");
  console.log(`${page}: ${bytes} of ${PAGE_BUDGET} bytes (${more})${over ? "  OVER" : ""}`);
}
const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
const total = files.reduce((sum, entry) => sum + readFileSync(`${entry.parentPath}/${entry.name}`).length, 0);
failed ||= total > TOTAL_BUDGET;
console.log(`static: ${total} of ${TOTAL_BUDGET} bytes uncompressed`);
process.exit(failed ? 1 : 0);
