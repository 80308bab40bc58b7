import type { Rich } from "../../core/generated/wire.ts";
import { INVISIBLE_CHARACTERS, type Parts, showInvisible } from "../../core/parts.ts";
import { html, type Template } from "../html.ts";

/** Draw a text; invisible and misleading characters are written out in boxes. */
export const renderEscapes = (parts: Parts): (Template | string)[] =>
  parts.map((part) => (typeof part === "string" ? part : html`<span class="esc">${part.escape}</span>`));

/** Draw a text of an agent or a person in the same way. */
export const escapeText = (text: string): (Template | string)[] =>
  renderEscapes(showInvisible(text, INVISIBLE_CHARACTERS));

/** Return a Markdown tree with these characters written out. */
export const escapeTree = (nodes: readonly Rich[]): Rich[] =>
  nodes.flatMap((node): Rich[] => {
    if (typeof node !== "string") return [{ ...node, children: escapeTree(node.children ?? []) }];
    return showInvisible(node, INVISIBLE_CHARACTERS).map((part) =>
      typeof part === "string" ? part : { type: "code", children: [part.escape] },
    );
  });
