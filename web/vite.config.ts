import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";
import { slimCatalogues, slimPreload, slimTemplates } from "./scripts/slim.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const pages = here("./pages");
/** What every page needs, in one file: brotli does far better with it than with many small ones. */
const OF_EVERY_PAGE =
  /\/(lit-html|lit\/|en\.json|pages\/page|src\/client\/(?!follow)|src\/core\/(messages|path|types|.*lifecycle|revision)|src\/elements\/(element|tokens|text|icons|show)|preload-helper)/;
const OF_EVERY_QUESTION = /\/src\/(core\/machine|elements\/(?!thread|inbox|define|check))/;

/**
 * Gives the bundled Lit a Trusted Types policy of its own name.
 *
 * A page may carry a second copy of Lit, and two policies of one name are refused; and the
 * server's policy list then names only what is ours.
 */
function renamePolicy(): Plugin {
  return {
    name: "askback-trusted-types-policy",
    transform(code, id) {
      if (!id.includes("/lit-html/") || !code.includes("createPolicy")) return null;
      const renamed = code.replace(/createPolicy\((["'])lit-html\1/, 'createPolicy("askback"');
      if (renamed === code) this.error(`no policy to rename in ${id}`);
      return { code: renamed, map: null };
    },
  };
}

export default defineConfig({
  root: pages,
  base: "/static/",
  publicDir: false,
  plugins: [renamePolicy(), slimTemplates(), slimCatalogues(), slimPreload()],
  server: { fs: { allow: [here("..")] } },
  build: {
    outDir: here("../src/askback/static"),
    emptyOutDir: true,
    manifest: "manifest.json",
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "base", test: OF_EVERY_PAGE },
            { name: "question", test: OF_EVERY_QUESTION },
          ].map((group) => ({ ...group, includeDependenciesRecursively: false })),
        },
      },
      input: readdirSync(pages)
        .filter((name) => name.endsWith(".html"))
        .map((name) => `${pages}/${name}`),
    },
  },
});
