/** Builds each page from the layout that all of them share. */
import { readFileSync } from "node:fs";
import type { Plugin } from "vite";

const layout = readFileSync(new URL("../layout.html", import.meta.url), "utf8");

/** Puts the `<head>` and the `<main>` of a page where the layout has room for them; a whole document stays as it is. */
export function shareLayout(): Plugin {
  return {
    name: "askback-layout",
    transformIndexHtml: {
      order: "pre",
      handler: (page) =>
        page.startsWith("<!doctype")
          ? page
          : layout.replace(
              /<!-- (\w+) -->/g,
              (_, part) => page.split(new RegExp(`</?${part}>`))[1]?.trim() ?? "",
            ),
    },
  };
}
