import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { slimCatalogues, slimPreload, slimTemplates } from "./scripts/slim.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const pages = here("./pages");
/**
 * What the pages share, in one file: brotli does far better with it than with many small ones, and the browser
 * has it already when the person goes on to the next page.
 */
const SHARED =
  /\/(web\/src\/(?!.*inbox|.*follow-request|elements\/define)|en\.json|pages\/page\.ts|preload-helper)/;

export default defineConfig({
  root: pages,
  base: "/static/",
  publicDir: false,
  plugins: [slimTemplates(), slimCatalogues(), slimPreload()],
  server: { fs: { allow: [here("..")] } },
  build: {
    outDir: here("../src/askback/static"),
    emptyOutDir: true,
    manifest: "manifest.json",
    target: "es2022",
    cssTarget: "esnext",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [{ name: "askback", test: SHARED, includeDependenciesRecursively: false }],
        },
      },
      input: readdirSync(pages)
        .filter((name) => name.endsWith(".html"))
        .map((name) => `${pages}/${name}`),
    },
  },
});
