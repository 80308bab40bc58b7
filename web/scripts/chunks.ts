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

/** Every module that a page loads at once; where `lazy`, also those that it may load later. */
function closure(graph: Graph, id: string, lazy: boolean, seen = new Set<string>()): Set<string> {
  if (seen.has(id)) return seen;
  seen.add(id);
  const { importedIds = [], dynamicallyImportedIds = [] } = graph.getModuleInfo(id) ?? {};
  for (const next of lazy ? [...importedIds, ...dynamicallyImportedIds] : importedIds)
    closure(graph, next, lazy, seen);
  return seen;
}

/**
 * Makes the function that names the chunk of each module that some page loads at once: `words` where it is needed to
 * sign in, `core` where another page loads it as well, at once or later, else that of its page. A style sheet of several
 * pages is a file of its own. The gallery has the elements of all pages, so it has a say only where it would otherwise
 * load, and run, another page.
 */
export function chunksOf(all: readonly string[]): (id: string, graph: Graph) => string | null {
  let reached: { page: string; atOnce: Set<string>; ever: Set<string> }[] | undefined;
  return (id, graph) => {
    reached ??= all.map((page) => ({
      page,
      atOnce: closure(graph, fileOf(page), false),
      ever: closure(graph, fileOf(page), true),
    }));
    const pages = reached.filter(({ page }) => page !== "gallery");
    const atOnce = pages.filter((each) => each.atOnce.has(id)).map(({ page }) => page);
    if (atOnce.length > 1) return id.endsWith(".css") ? null : atOnce.includes("login") ? "words" : "core";
    const ever = (atOnce.length ? reached : pages).filter((each) => each.ever.has(id));
    return ever.length > 1 ? (atOnce[0] ? `${atOnce[0]}-shared` : "core") : (atOnce[0] ?? null);
  };
}
