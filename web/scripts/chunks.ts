/** In which chunk of a build a module is, by the pages that load it. */
import { fileURLToPath } from "node:url";
import { closure } from "./closure.ts";

interface Graph {
  getModuleInfo(id: string): {
    readonly importedIds: readonly string[];
    readonly dynamicallyImportedIds: readonly string[];
  } | null;
}

const folder = fileURLToPath(new URL("../pages/", import.meta.url));
export const fileOf = (page: string): string => `${folder}${page}.html`;

/** Every module that a page loads immediately; with `lazy`, also those that it may load later. */
const modulesOf = (graph: Graph, page: string, lazy: boolean): Set<string> =>
  closure(fileOf(page), (id) => {
    const { importedIds = [], dynamicallyImportedIds = [] } = graph.getModuleInfo(id) ?? {};
    return lazy ? [...importedIds, ...dynamicallyImportedIds] : importedIds;
  });

/**
 * Return the function that names the chunk of each module that some page loads immediately: `words` if the sign-in page
 * needs it, `core` if several pages load it immediately, `<page>-shared` if only one does and others may load it later,
 * otherwise the chunk of its page. A style sheet of several pages is a separate file. The gallery has the elements of all
 * pages, so it counts only where it would otherwise load, and run, another page.
 */
export function chunksOf(sources: readonly string[]): (id: string, graph: Graph) => string | null {
  let reachedPages: { page: string; initial: Set<string>; reachable: Set<string> }[] | undefined;
  return (id, graph) => {
    reachedPages ??= sources.map((page) => ({
      page,
      initial: modulesOf(graph, page, false),
      reachable: modulesOf(graph, page, true),
    }));
    const pages = reachedPages.filter(({ page }) => page !== "gallery");
    const initial = pages.filter((each) => each.initial.has(id)).map(({ page }) => page);
    if (initial.length > 1) return id.endsWith(".css") ? null : initial.includes("login") ? "words" : "core";
    const reachable = (initial.length ? reachedPages : pages).filter((each) => each.reachable.has(id));
    return reachable.length > 1 ? (initial[0] ? `${initial[0]}-shared` : "core") : (initial[0] ?? null);
  };
}
