/** Refuses a build in which a script shows an English text that need not be there when it runs. */
import { readFileSync } from "node:fs";
import type { Plugin } from "vite";
import { closure } from "./closure.ts";
import { catalogueOf } from "./slim.ts";

const texts: object = JSON.parse(
  readFileSync(new URL("../../src/askback/messages/en.json", import.meta.url), "utf8"),
);
const isText = (key: string): boolean => Object.hasOwn(texts, key);

/** The keys of the texts that a source file names where it asks for one; a place of the application has a prefix. */
function keysIn(path: string): string[] {
  const [, place] = /\/app\/places\/(\w+)\//.exec(path) ?? [];
  return [...readFileSync(path, "utf8").matchAll(/\bgetText\(([^(){}]*)/g)]
    .flatMap(([, words]) => [...(words ?? "").matchAll(/"([\w.]+)"/g)])
    .map(([, name]) => (isText(`ui.${place}.${name}`) ? `ui.${place}.${name}` : `ui.${name}`))
    .filter(isText);
}

/** Checks the scripts of each page, and those of each part that it loads later, which has the texts of the page, too. */
export function checkTexts(): Plugin {
  return {
    name: "askback-check-texts",
    apply: "build",
    buildEnd(error) {
      if (error) return;
      const imported = (id: string) => this.getModuleInfo(id)?.importedIds ?? [];
      const importedLater = (id: string) => this.getModuleInfo(id)?.dynamicallyImportedIds ?? [];
      for (const page of [...this.getModuleIds()].filter((id) => this.getModuleInfo(id)?.isEntry)) {
        const modulesOfPage = closure(page, imported);
        const modulesInAll = closure(page, (id) => [...imported(id), ...importedLater(id)]);
        for (const part of new Set([page, ...[...modulesInAll].flatMap(importedLater)])) {
          const modules = [...closure(part, imported)];
          const catalogues = [...modulesOfPage, ...modules]
            .map(catalogueOf)
            .filter((keeps) => keeps !== undefined);
          for (const path of modules.filter((id) => id.endsWith(".ts"))) {
            const missing = keysIn(path).find((key) => !catalogues.some((keeps) => keeps(key)));
            if (missing)
              this.error(
                `${path} shows ${missing}, which neither ${page} nor ${part} has: see PARTS in slim.ts`,
              );
          }
        }
      }
    },
  };
}
