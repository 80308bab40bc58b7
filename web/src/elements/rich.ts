import { html, type nothing, type TemplateResult } from "lit/html.js";
import type { Rich } from "../core/wire.ts";

type Drawn = TemplateResult | string | typeof nothing;

/** Only these schemes become links; the server checks the same. */
const safe = (href: string | undefined): boolean => /^(https?:\/\/|mailto:)/i.test(href ?? "");

function link(href: string, inside: Drawn[]): TemplateResult {
  return html`<a href=${href} target="_blank" rel="noopener noreferrer nofollow ugc">${inside}</a>`;
}

/** Draw a Markdown tree: text stays text, and a node of an unknown type shows its children only. */
export function rich(nodes: readonly Rich[]): Drawn[] {
  return nodes.map((node) => {
    if (typeof node === "string") return node;
    const inside = rich(node.children ?? []);
    switch (node.type) {
      case "p":
        return html`<p>${inside}</p>`;
      case "em":
        return html`<em>${inside}</em>`;
      case "strong":
        return html`<strong>${inside}</strong>`;
      case "code":
        return html`<code>${inside}</code>`;
      case "pre":
        return html`<pre tabindex="0"><code>${inside}</code></pre>`;
      case "ul":
        return html`<ul>${inside}</ul>`;
      case "ol":
        return html`<ol>${inside}</ol>`;
      case "li":
        return html`<li>${inside}</li>`;
      case "br":
        return html`<br />`;
      case "a":
        return safe(node.href) ? link(node.href ?? "", inside) : html`${inside}`;
      default:
        return html`${inside}`;
    }
  });
}
