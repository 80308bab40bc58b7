/** What the page of the application fetches beside its own scripts. */
import type { Plugin, Rolldown } from "vite";

const INBOX = /\/places\/inbox\/place\.ts$/;

/** A chunk with all that it imports. */
function* loaded(bundle: Rolldown.OutputBundle, file: string): Generator<string> {
  yield file;
  const chunk = bundle[file];
  if (chunk?.type === "chunk") for (const next of chunk.imports) yield* loaded(bundle, next);
}

/** Has the Inbox fetched at once: it is what most people open, and the scripts would ask for it one after the other. */
export function preloadInbox(): Plugin {
  return {
    name: "askback-preload-inbox",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle = {}, filename }) {
        if (!filename.endsWith("/app.html")) return [];
        const place = Object.values(bundle).find(
          (each) => each.type === "chunk" && INBOX.test(each.facadeModuleId ?? ""),
        );
        const files = new Set(place ? loaded(bundle, place.fileName) : []);
        return [...files]
          .filter((file) => !html.includes(file))
          .map((file) => ({
            tag: "link",
            attrs: { rel: "modulepreload", crossorigin: true, href: `/static/${file}` },
            injectTo: "head" as const,
          }));
      },
    },
  };
}
