import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { chunksOf, fileOf } from "./scripts/chunks.ts";
import { shareLayout } from "./scripts/layout.ts";
import { loadWithImports } from "./scripts/loading.ts";
import { slimCatalogues, slimNames, slimTemplates } from "./scripts/slim.ts";
import { checkTexts } from "./scripts/texts.ts";

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
/** One build makes the pages that the mode names. */
export default defineConfig(({ mode }) => ({
  root: pathOf("./pages"),
  base: "/static/",
  publicDir: false,
  plugins: [
    shareLayout(),
    slimTemplates(),
    slimNames(),
    slimCatalogues(),
    checkTexts(),
    ...loadWithImports(),
  ],
  server: { fs: { allow: [pathOf("..")] } },
  build: {
    outDir: pathOf("../src/askback/static"),
    emptyOutDir: false,
    manifest: "manifest.json",
    target: "es2022",
    cssTarget: "esnext",
    assetsInlineLimit: 0,
    // A page names all its chunks itself, so that they are fetched at the same time; `scripts/loading.ts` names those of a part.
    modulePreload: { polyfill: false, resolveDependencies: () => [] },
    rolldownOptions: {
      input: mode.split(" ").map(fileOf),
      // A view of MCP Apps may load nothing.
      output: {
        // Names are the part of a page that cannot be compressed.
        chunkFileNames: "assets/[name]-[hash:6].js",
        codeSplitting: mode !== "mcp" && {
          // A chunk has all that its modules import, or imports it from a chunk that more pages load.
          groups: [
            {
              name: chunksOf(mode.split(" ")),
              debugName: mode,
              tags: ["$initial"],
              includeDependenciesRecursively: false,
            },
          ],
        },
      },
    },
  },
}));
