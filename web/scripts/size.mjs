// Fails when a page is over its budget: brotli, quality 11, as the server would send it, for a reader of English.
// A page is what it loads to show and answer a form: every script and style of its entry. A part is what is fetched
// when the first request of another kind is seen, and has a budget of its own (docs/decisions/0015). The texts of
// another language are a file of their own, listed apart; the gallery is no page for users and has only to stay sane.
// The view of MCP Apps is one document, which can fetch nothing later.
// The npm package of agents is weighed as it is shipped, before anybody minifies it.
// The first load of the application has its Inbox with it, at most 60 kB (docs/decisions/0068).
import { readdirSync, readFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

const PAGE_BUDGETS = {
  app: 60_000,
  connected: 4_000,
  login: 5_100,
  mcp: 65_450,
  missing: 4_000,
  request: 20_000,
  thread: 20_000,
};
const PART_BUDGETS = {
  "place conversations": 7_000,
  "place history": 4_500,
  "place rules": 9_500,
  "place audit": 6_000,
  "place agents": 9_000,
  "place secrets": 7_000,
  "place settings": 12_000,
  action: 3_250,
  package: 1_250,
  approval: 13_300,
  secret: 5_000,
  shape: 2_300,
  reader: 1_250,
  chat: 6_100,
  composer: 4_250,
  drafts: 3_150,
  receipt: 2_900,
  markdown: 1_250,
  timezone: 500,
  choices: 5_250,
  sources: 2_250,
  texts: 1_500,
  files: 4_000,
  answering: 1_650,
  revised: 1_700,
  declining: 500,
  rules: 1_750,
};
const TOTAL_BUDGET = 1_075_000;
const CLIENT_BUDGET = 15_000;

const root = new URL("../../src/askback/static/", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL("manifest.json", root), "utf8"));
const weigh = (name) =>
  brotliCompressSync(readFileSync(new URL(name, root)), {
    params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
  }).length;

/** Every file that a chunk loads immediately: itself, its styles, and the same of what it imports, but for those in `seen`. */
function load(chunks, chunk, seen) {
  if (seen.has(chunk.file)) return [];
  const files = [chunk.file, ...(chunk.css ?? [])].filter((file) => !seen.has(file));
  for (const file of files) seen.add(file);
  return [...files, ...(chunk.imports ?? []).flatMap((key) => load(chunks, chunks[key], seen))];
}

/** Every part that these files may load later. */
function later(chunks, files) {
  const keys = new Set();
  const add = ({ imports = [], dynamicImports = [] }) => {
    for (const key of [...imports, ...dynamicImports]) {
      const isNew = !keys.has(key);
      if (dynamicImports.includes(key)) keys.add(key);
      if (isNew) add(chunks[key]);
    }
  };
  for (const chunk of Object.values(chunks)) if (files.includes(chunk.file)) add(chunk);
  return keys;
}

let failed = false;
function report(name, files, budget) {
  const bytes = files.reduce((sum, file) => sum + weigh(file), 0);
  const over = budget > 0 && bytes > budget;
  failed ||= over;
  console.log(`${name}: ${bytes}${budget ? ` of ${budget}` : ""} bytes${over ? "  OVER" : ""}`);
}

for (const [build, chunks] of Object.entries(manifest))
  for (const page of build.split(" ")) {
    const html = readFileSync(new URL(`${page}.html`, root), "utf8");
    const named = [...html.matchAll(/assets\/[\w.-]+\.(?:js|css)/g)].map(([file]) => file);
    const seen = new Set();
    const entries = Object.values(chunks).filter(({ file }) => named.includes(file));
    const styles = named.filter((file) => file.endsWith(".css"));
    report(
      page,
      [...new Set([...entries.flatMap((chunk) => load(chunks, chunk, seen)), ...styles])],
      PAGE_BUDGETS[page] ?? 0,
    );
    for (const key of later(chunks, [...seen])) {
      const folder = key.split("/").at(-2);
      const name = key.includes("/places/") ? `place ${folder}` : folder;
      // The gallery loads parts in no order that a user would.
      const budget = page === "gallery" ? 0 : (PART_BUDGETS[name] ?? 0);
      report(`  ${name}, on demand`, load(chunks, chunks[key], seen), budget);
    }
  }
report("@askback/client", ["../../../clients/typescript/dist/index.js"], CLIENT_BUDGET);
const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
const total = files.reduce((sum, entry) => sum + readFileSync(`${entry.parentPath}/${entry.name}`).length, 0);
failed ||= total > TOTAL_BUDGET;
console.log(`static: ${total} of ${TOTAL_BUDGET} bytes uncompressed`);
process.exit(failed ? 1 : 0);
