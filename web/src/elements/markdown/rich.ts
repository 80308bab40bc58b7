import texts from "../../../../src/askback/messages/en.json?markdown&texts" with { type: "json" };
import type { Rich, RichNode } from "../../core/generated/wire.ts";
import { addTexts } from "../../core/messages.ts";
import { html, Template } from "../html.ts";
import { localHost } from "../localhost.ts";
import { onDemand } from "../ondemand.ts";
import type { GetText } from "../text.ts";
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
const PLAIN_TAGS = ["", ""];

/** Only these schemes become links; the server checks the same. */
const SAFE_URL = /^(https?:\/\/|mailto:)/i;

/** Draw nodes: text stays text. `drawOwn` draws some of them in its own way. */
export const drawTree = (
  nodes: readonly Rich[],
  getText: GetText,
  drawOwn?: (node: RichNode) => Template | undefined,
): (Template | string)[] =>
  nodes.map((node) => {
    if (typeof node === "string") return node;
    const custom = drawOwn?.(node);
    if (custom) return custom;
    const children = drawTree(node.children ?? [], getText, drawOwn);
    if (node.type === "a" && SAFE_URL.test(node.href ?? "")) {
      const host = localHost(node.href ?? "");
      // A program that an agent started on this computer can imitate any page, so the label shows the address.
      return html`<a href=${node.href} target="_blank" rel="noopener noreferrer nofollow ugc">${children}${host && ` (${getText("link_local", { host })})`}</a>`;
    }
    if (node.type === "ol") return html`<ol start=${node.start}>${children}</ol>`;
    return new Template(TAGS.get(node.type) ?? PLAIN_TAGS, [children]);
  });

/** Draw the Markdown tree of a text, if it has one. */
export const rich = (nodes: readonly Rich[] | undefined, getText: GetText) =>
  nodes && drawTree(nodes, getText);

Object.assign(onDemand, { rich });
