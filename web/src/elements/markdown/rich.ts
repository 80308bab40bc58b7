import texts from "../../../../src/askback/messages/en.json?markdown" with { type: "json" };
import type { Rich, RichNode } from "../../core/generated/wire.ts";
import { addTexts } from "../../core/messages.ts";
import { html, Template } from "../html.ts";
import { localHost } from "../localhost.ts";
import { onDemand } from "../ondemand.ts";
import type { Say } from "../text.ts";
import "./rich.css.ts";

addTexts(texts);

/** The only elements that a text can hold; anything else shows what is inside it. */
const TAGS = new Map<string, readonly string[]>([
  ...["p", "em", "strong", "code", "blockquote", "ul", "li"].map(
    (tag) => [tag, [`<${tag}>`, `</${tag}>`]] as const,
  ),
  ["pre", ['<pre tabindex="0"><code>', "</code></pre>"]],
  ["br", ["<br>", ""]],
  ["table", ['<div class="table" tabindex="0"><table><tbody>', "</tbody></table></div>"]],
  ...["tr", "th", "td"].map((tag) => [tag, [`<${tag}>`, `</${tag}>`]] as const),
]);
const PLAIN = ["", ""];

/** Only these schemes become links; the server checks the same. */
const SAFE = /^(https?:\/\/|mailto:)/i;

/** Draw nodes: text stays text. `drawOwn` draws some of them in its own way. */
export const drawTree = (
  nodes: readonly Rich[],
  say: Say,
  drawOwn?: (node: RichNode) => Template | undefined,
): (Template | string)[] =>
  nodes.map((node) => {
    if (typeof node === "string") return node;
    const own = drawOwn?.(node);
    if (own) return own;
    const inside = drawTree(node.children ?? [], say, drawOwn);
    if (node.type === "a" && SAFE.test(node.href ?? "")) {
      const host = localHost(node.href ?? "");
      // A program that an agent started on this computer can imitate any page, so the label shows the address.
      return html`<a href=${node.href} target="_blank" rel="noopener noreferrer nofollow ugc">${inside}${host && ` (${say("link_local", { host })})`}</a>`;
    }
    if (node.type === "ol") return html`<ol start=${node.start}>${inside}</ol>`;
    return new Template(TAGS.get(node.type) ?? PLAIN, [inside]);
  });

/** Draw the Markdown tree of a text, if it has one. */
export const rich = (nodes: readonly Rich[] | undefined, say: Say) => nodes && drawTree(nodes, say);

Object.assign(onDemand, { rich });
