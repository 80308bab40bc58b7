import { DECEIVING, type Parts, visible } from "../../core/parts.ts";
import type { Rich } from "../../core/wire.ts";
import { html, type Template } from "../html.ts";

/** Pieces of a text; what would not be seen, or would deceive, stands written out in a box of its own. */
export const chips = (parts: Parts): (Template | string)[] =>
  parts.map((part) => (typeof part === "string" ? part : html`<span class="esc">${part.escape}</span>`));

/** Prose that an agent or a person wrote. */
export const escaped = (text: string): (Template | string)[] => chips(visible(text, DECEIVING));

/** A Markdown tree in which every character is seen. */
export const escapedTree = (nodes: readonly Rich[]): Rich[] =>
  nodes.flatMap((node): Rich[] => {
    if (typeof node !== "string") return [{ ...node, children: escapedTree(node.children ?? []) }];
    return visible(node, DECEIVING).map((part) =>
      typeof part === "string" ? part : { type: "code", children: [part.escape] },
    );
  });
