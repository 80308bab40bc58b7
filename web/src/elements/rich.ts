import type { Rich } from "../core/wire.ts";
import { html, Template } from "./html.ts";
import { localHost } from "./localhost.ts";
import type { Say } from "./text.ts";

/** The only elements that a text can hold; anything else shows what is inside it. */
const TAGS = new Map<string, readonly string[]>([
  ...["p", "em", "strong", "code", "ul", "ol", "li"].map((tag) => [tag, [`<${tag}>`, `</${tag}>`]] as const),
  ["pre", ['<pre tabindex="0"><code>', "</code></pre>"]],
  ["br", ["<br>", ""]],
]);
const PLAIN = ["", ""];

/** Only these schemes become links; the server checks the same. */
const SAFE = /^(https?:\/\/|mailto:)/i;

/** Draw a Markdown tree: text stays text. */
export function rich(nodes: readonly Rich[], say: Say): (Template | string)[] {
  return nodes.map((node) => {
    if (typeof node === "string") return node;
    const inside = rich(node.children ?? [], say);
    if (node.type === "a" && SAFE.test(node.href ?? "")) {
      const host = localHost(node.href ?? "");
      // What an agent started on this computer can pose as anything: the label says where the link leads.
      return html`<a href=${node.href} target="_blank" rel="noopener noreferrer nofollow ugc">${inside}${host && ` (${say("link_local", { host })})`}</a>`;
    }
    return new Template(TAGS.get(node.type) ?? PLAIN, [inside]);
  });
}
