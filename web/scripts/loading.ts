/** Has each `import()` of a page go through `src/elements/loading.ts`, with the names of what the imported file imports. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { closure } from "./closure.ts";

const SOURCES = fileURLToPath(new URL("../src/", import.meta.url));

/** Takes the place of the helper of Vite. */
const helper: Plugin = {
  name: "askback-loading",
  apply: "build",
  enforce: "pre",
  load: (id) =>
    id.includes("vite/preload-helper")
      ? { code: readFileSync(`${SOURCES}elements/loading.ts`, "utf8"), moduleType: "ts" }
      : null,
  transform(code, id) {
    // Vite makes the handlers of `then` a part of what is loaded, so they would not see that a file was not fetched.
    if (id.startsWith(SOURCES) && /\bimport\([^()]*\)\s*\.then\(/.test(code))
      this.error(`${id}: await the import() in place of calling then().`);
  },
};

/** Names the files that a part imports and that do not come with the code which loads the part. */
const imports: Plugin = {
  name: "askback-loading-imports",
  apply: "build",
  generateBundle: {
    order: "post",
    handler(_options, bundle) {
      const importsOf = (file: string) => {
        const chunk = bundle[file];
        return chunk?.type === "chunk" ? chunk.imports : [];
      };
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== "chunk") continue;
        const loaded = closure(chunk.fileName, importsOf);
        chunk.code = chunk.code.replace(
          /(import\(`\.\/([\w.-]+)`\)[^[\]]*),\[\]\)/g,
          (_, before: string, part: string) => {
            const names = [...closure(`assets/${part}`, importsOf)]
              .filter((file) => file !== `assets/${part}` && !loaded.has(file))
              .map((file) => file.replace("assets/", ""));
            return names.length > 0 ? `${before},"${names}")` : `${before})`;
          },
        );
      }
    },
  },
};

export const loadWithImports = (): Plugin[] => [helper, imports];
