// Fails when a page is over its budget: brotli, quality 11, as the server would send it, for a reader of English.
// A page is what it loads to show and answer a form: every script and style of its entry. A part is what is fetched
// when the first request of another kind is seen, and has a budget of its own (docs/decisions/0015). The texts of
// another language are a file of their own, listed apart; the gallery is no page for users and has only to stay sane.
import { readdirSync, readFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

const PAGE_BUDGETS = {
  connected: 2_500,
  inbox: 11_000,
  login: 4_000,
  missing: 2_500,
  request: 20_000,
  thread: 20_000,
};
const PART_BUDGETS = {
  action: 3_250,
  package: 1_250,
  approval: 9_000,
  secret: 4_750,
  shape: 2_000,
  reader: 1_250,
  composer: 3_250,
  drafts: 2_000,
  receipt: 2_750,
  markdown: 1_250,
  timezone: 500,
  choices: 5_250,
  sources: 2_250,
  texts: 1_500,
  files: 3_500,
  blocks: 1_000,
  answering: 1_000,
  rules: 1_750,
};
const TOTAL_BUDGET = 740_000;

const root = new URL("../../src/askback/static/", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL("manifest.json", root), "utf8"));
const weigh = (name) =>
  brotliCompressSync(readFileSync(new URL(name, root)), {
    params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
  }).length;

/** Every file that a chunk loads at once: itself, its styles, and the same of what it imports, but for those in `seen`. */
function load(chunks, chunk, seen) {
  if (seen.has(chunk.file)) return [];
  const files = [chunk.file, ...(chunk.css ?? [])];
  for (const file of files) seen.add(file);
  return [...files, ...(chunk.imports ?? []).flatMap((key) => load(chunks, chunks[key], seen))];
}

let failed = false;
function report(name, files, budget) {
  const bytes = files.reduce((sum, file) => sum + weigh(file), 0);
  const over = budget > 0 && bytes > budget;
  failed ||= over;
  console.log(`${name}: ${bytes}${budget ? ` of ${budget}` : ""} bytes${over ? "  OVER" : ""}`);
}

for (const [page, chunks] of Object.entries(manifest)) {
  const entry = Object.values(chunks).find(({ name, file }) => name === page && file.endsWith(".js"));
  const seen = new Set();
  report(page, load(chunks, entry, seen), PAGE_BUDGETS[page] ?? 0);
  for (const key of entry.dynamicImports ?? []) {
    const part = chunks[key];
    const isText = key.includes("/messages/");
    const name = isText ? part.name : key.split("/").at(-2);
    const budget = isText ? 0 : PART_BUDGETS[name];
    report(`  ${name}, on demand`, load(chunks, part, seen), budget);
  }
}
const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
const total = files.reduce((sum, entry) => sum + readFileSync(`${entry.parentPath}/${entry.name}`).length, 0);
failed ||= total > TOTAL_BUDGET;
console.log(`static: ${total} of ${TOTAL_BUDGET} bytes uncompressed`);
process.exit(failed ? 1 : 0);
