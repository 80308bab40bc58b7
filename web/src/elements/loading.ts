/** What is loaded or being loaded: modules by the names of their files, and with "./" what was only fetched. */
const loads: Record<string, Promise<unknown>> = {};
let retries = 0;

/** Load something once; after a failure the next call tries again. */
function loadOnce(name: string, load: () => Promise<unknown>): Promise<unknown> {
  loads[name] ??= load().catch((error) => {
    delete loads[name];
    throw error;
  });
  return loads[name];
}

async function fetchFile(path: string): Promise<void> {
  const url = new URL(path, import.meta.url);
  const response = await fetch(url).catch(() => fetch(url));
  if (!response.ok) throw response;
  await response.blob();
}

/**
 * Run an `import()` of a page; the build has each of them call this, by the name that Vite gives it, and names the files
 * that the imported one imports.
 *
 * A browser remembers a failure: the file, and every file that imports it, fail until the page is loaded again, also when
 * the connection is back. So a file that failed is imported by another address, and what it imports is fetched before, to
 * come from the browser's cache.
 */
export function __vitePreload(load: () => Promise<unknown>, imports?: string): Promise<unknown> {
  const [name, ...importedNames] = `${load}${imports}`.match(/[\w.-]+\.js/g) ?? [];
  // A view of MCP Apps has everything in one file.
  if (!name) return load();
  return loadOnce(name, async () => {
    await Promise.all(importedNames.map((each) => loadOnce(`./${each}`, () => fetchFile(`./${each}`))));
    return load().catch(() => {
      const address = `./${name}?${++retries}`;
      return import(/* @vite-ignore */ address);
    });
  });
}
