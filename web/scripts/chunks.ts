/** In which chunk of a build a module is, by the pages that load it. */
import { fileURLToPath } from "node:url";

interface Graph {
  getModuleInfo(id: string): {
    readonly importedIds: readonly string[];
    readonly dynamicallyImportedIds: readonly string[];
  } | null;
}

const folder = fileURLToPath(new URL("../pages/", import.meta.url));
export const fileOf = (page: string): string => `${folder}${page}.html`;

/** Every module that a page loads immediately; with `lazy`, also those that it may load later. */
function closure(graph: Graph, id: string, lazy: boolean, visited = new Set<string>()): Set<string> {
  if (visited.has(id)) return visited;
  visited.add(id);
  const { importedIds = [], dynamicallyImportedIds = [] } = graph.getModuleInfo(id) ?? {};
  for (const importedId of lazy ? [...importedIds, ...dynamicallyImportedIds] : importedIds)
    closure(graph, importedId, lazy, visited);
  return visited;
}

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
      initial: closure(graph, fileOf(page), false),
      reachable: closure(graph, fileOf(page), true),
    }));
    const pages = reachedPages.filter(({ page }) => page !== "gallery");
    const initial = pages.filter((each) => each.initial.has(id)).map(({ page }) => page);
    if (initial.length > 1) return id.endsWith(".css") ? null : initial.includes("login") ? "words" : "core";
    const reachable = (initial.length ? reachedPages : pages).filter((each) => each.reachable.has(id));
    return reachable.length > 1 ? (initial[0] ? `${initial[0]}-shared` : "core") : (initial[0] ?? null);
  };
}
