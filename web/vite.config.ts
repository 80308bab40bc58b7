import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { shareLayout } from "./scripts/layout.ts";
import { slimCatalogues, slimPreload, slimTemplates } from "./scripts/slim.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const pages = here("./pages");
/** One build makes one page, whose name is the mode: everything that it needs is in one script. */
export default defineConfig(({ mode }) => ({
  root: pages,
  base: "/static/",
  publicDir: false,
  plugins: [shareLayout(), slimTemplates(), slimCatalogues(mode), slimPreload()],
  server: { fs: { allow: [here("..")] } },
  build: {
    outDir: here("../src/askback/static"),
    emptyOutDir: false,
    manifest: "manifest.json",
    target: "es2022",
    cssTarget: "esnext",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false, resolveDependencies: () => [] },
    rolldownOptions: {
      input: `${pages}/${mode}.html`,
      // What the page needs at once stays in one script, also where a part that is fetched on demand uses it too.
      output: { codeSplitting: { groups: [{ name: mode, tags: ["$initial"] }] } },
    },
  },
}));
