/** What the build leaves out of the pages: the layout of templates, and texts that no page can show. */
import { readFileSync } from "node:fs";
import type { Plugin } from "vite";

interface Node {
  type?: string;
  start: number;
  end: number;
  tag?: { name?: string };
  quasi?: { quasis: Node[] };
}

const squeezeHtml = (text: string): string =>
  text
    .replace(/\s*\n\s*/g, " ")
    .replace(
      /> (?=<\/?(div|p|ul|ol|li|dl|dt|dd|fieldset|legend|form|button|section|details|summary)\b)/g,
      ">",
    );

const squeezeCss = (text: string): string =>
  text
    .replace(/\/\*.*?\*\//gs, "")
    .replace(/\s+/g, " ")
    .replace(/\s*([{};,>])\s*/g, "$1")
    .replace(/([\s:(,-])0\./g, "$1.")
    .replace(/: /g, ":")
    .replace(/;}/g, "}");

const SQUEEZE = new Map([
  ["html", squeezeHtml],
  ["svg", squeezeHtml],
  ["css", squeezeCss],
]);

function* tagged(node: unknown): Generator<Node> {
  if (typeof node !== "object" || node === null) return;
  if ((node as Node).type === "TaggedTemplateExpression") yield node as Node;
  for (const child of Object.values(node)) yield* tagged(child);
}

/** Takes line breaks and indentation out of `html` and `css` templates. */
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

/** The source files that make the faults which a page can show. */
const FAULTS = ["../src/core/answer.ts", "../src/core/field.ts"];

function shown(): RegExp {
  const source = FAULTS.map((path) => readFileSync(new URL(path, import.meta.url), "utf8")).join("\n");
  const keys = [...source.matchAll(/(["`])([a-z_]+[a-z_.]*(?:\$\{\w+\})?)\1/g)].map((found) =>
    (found[2] ?? "").replaceAll(".", "\\.").replace(/\$\{\w+\}/, "\\w+"),
  );
  return new RegExp(`^(ui\\..+|fault\\.(${keys.join("|")}))$`);
}

/** Keeps, of the catalogues, the words of the interface and the faults of answers. */
export function slimCatalogues(): Plugin {
  return {
    name: "askback-slim-catalogues",
    apply: "build",
    enforce: "pre",
    transform(code, id) {
      if (!/\/messages\/\w+\.json$/.test(id)) return null;
      const keep = shown();
      const entries = Object.entries(JSON.parse(code)).filter(([key]) => keep.test(key));
      return { code: JSON.stringify(Object.fromEntries(entries)), map: null };
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
