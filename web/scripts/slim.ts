/** What the build leaves out of the pages: the layout of templates, long names, and texts that no page can show. */
import { readdirSync, readFileSync } from "node:fs";
import type { Plugin } from "vite";

interface Node {
  type?: string;
  start: number;
  end: number;
  tag?: { name?: string };
  quasi?: { quasis: Node[] };
}

/** A line break beside a tag is layout; a space within a line is meant. */
const squeezeHtml = (text: string): string =>
  text
    .replace(/\s*\/?>/g, ">")
    .replace(/="([\w-]+)"/g, "=$1")
    .replace(/>\s*\n\s*/g, ">")
    .replace(/\s*\n\s*(?=<)/g, "")
    .replace(/\s*\n\s*/g, " ");

const squeezeCss = (text: string): string =>
  text
    .replace(/\/\*.*?\*\//gs, "")
    .replace(/\s+/g, " ")
    .replace(/\s*([{};,>])\s*/g, "$1")
    .replace(/([\s:(,-])0\./g, "$1.")
    .replace(/: /g, ":")
    .replace(/;}/g, "}")
    .replace(/--_[a-z-]+/g, shortName);

const ELEMENTS = new URL("../src/elements/", import.meta.url);
const sheets = readdirSync(ELEMENTS, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => readFileSync(new URL(name, ELEMENTS), "utf8"));

/** Our own custom properties. They are numbered by name, so that a page and its parts agree on them. */
const OWN = [...new Set(sheets.flatMap((text) => text.match(/--_[a-z-]+/g) ?? []))].sort();
const shortName = (name: string): string => `--_${OWN.indexOf(name).toString(36)}`;

const SQUEEZE = new Map([
  ["html", squeezeHtml],
  ["css", squeezeCss],
]);

function* tagged(node: unknown): Generator<Node> {
  if (typeof node !== "object" || node === null) return;
  if ((node as Node).type === "TaggedTemplateExpression") yield node as Node;
  for (const child of Object.values(node)) yield* tagged(child);
}

/** Takes line breaks and indentation out of `html` and `css` templates, and shortens the names of our own properties. */
export function slimTemplates(): Plugin {
  return {
    name: "askback-slim-templates",
    apply: "build",
    transform(code, id) {
      if (!id.includes("/src/elements/")) return null;
      const edits = [...tagged(this.parse(code))].flatMap((node) => {
        const squeeze = SQUEEZE.get(node.tag?.name ?? "");
        return squeeze ? (node.quasi?.quasis ?? []).map((part) => ({ part, squeeze })) : [];
      });
      edits.sort((a, b) => b.part.start - a.part.start);
      let slim = code;
      for (const { part, squeeze } of edits)
        slim = slim.slice(0, part.start) + squeeze(slim.slice(part.start, part.end)) + slim.slice(part.end);
      return { code: slim, map: null };
    },
  };
}

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const keysIn = (source: string, pattern: RegExp): string[] =>
  [...source.matchAll(pattern)].map((found) => found[1] ?? "");

/** The source files that make the faults which a page can show: our own controls give no values but those. */
const FAULTS = ["../src/core/values.ts", "../src/elements/check.ts"];

function shown(language: string): RegExp {
  const written = keysIn(FAULTS.map(read).join("\n"), /["`]([a-z_]+[a-z_.]*(?:\$\{\w+\})?)["`]/g);
  const keys = written.map((key) => key.replaceAll(".", "\\.").replace(/\$\{\w+\}/, "(date|time)"));
  // The reasons of the policy come in English from the server.
  const reasons = language === "en" ? "" : "reason\\..+|";
  return new RegExp(`^(${reasons}ui\\..+|fault\\.(${keys.join("|")}))$`);
}

/** The texts that stand in the pages themselves, in English, and in no script of this one; the gallery has them all. */
function inPages(page: string): Set<string> {
  const files = readdirSync(new URL("../pages", import.meta.url)).map((name) => `../pages/${name}`);
  const scripts = [...files, "../src/elements/thread.ts", "../src/elements/inbox.ts"].filter((path) =>
    page === "gallery" ? path.endsWith(".ts") : path.endsWith(`/${page}.ts`) || path.endsWith("/page.ts"),
  );
  const said = new Set(keysIn(scripts.map(read).join("\n"), /\bsay\("(\w+)"/g));
  const written = [...files, "../layout.html"]
    .filter((path) => path.endsWith(".html"))
    .flatMap((path) => keysIn(read(path), /data-say="(\w+)"/g));
  return new Set(written.filter((key) => !said.has(key)).map((key) => `ui.${key}`));
}

/**
 * Keeps, of the catalogues, the words of the page and the faults of answers.
 *
 * The English words of a kind on demand are in the part that draws it, which asks for `en.json?approval` or
 * `en.json?secret`, `en.json?shape`, `en.json?reader`, `en.json?composer` or `en.json?drafts`. The inbox has those of `ui.approvals.` and `ui.secrets.` too.
 */
export function slimCatalogues(page: string): Plugin {
  return {
    name: "askback-slim-catalogues",
    apply: "build",
    enforce: "pre",
    transform(code, id) {
      const [, language, part] = /\/messages\/(\w+)\.json(?:\?(\w+))?$/.exec(id) ?? [];
      if (!language) return null;
      const keep = part ? new RegExp(`^ui\\.${part}s?\\.`) : shown(language);
      const drop = language === "en" && !part ? inPages(page) : new Set();
      const lists = page === "inbox" || page === "gallery";
      // The texts of another language are one file for all pages.
      const elsewhere =
        language !== "en" || part
          ? []
          : lists
            ? [/^ui\.(approval|secret|shape|reader|composer|drafts)\./]
            : [/^ui\.inbox_/, /^ui\.(approval|secret|shape|reader|composer|drafts)s?\./];
      const entries = Object.entries(JSON.parse(code)).filter(
        ([key]) => keep.test(key) && !drop.has(key) && !elsewhere.some((pattern) => pattern.test(key)),
      );
      return { code: JSON.stringify(Object.fromEntries(entries)), map: null, moduleType: "json" };
    },
  };
}

/** Vite's helper for lazy parts preloads what they need in turn; ours need nothing, so it only loads them. */
export function slimPreload(): Plugin {
  return {
    name: "askback-slim-preload",
    apply: "build",
    enforce: "pre",
    load: (id) =>
      id.includes("vite/preload-helper") ? "export const __vitePreload = (load) => load();" : null,
  };
}
