import type { Rich } from "../../core/generated/wire.ts";

const INLINE_TYPES = ["em", "strong", "code", "a"];

/** The text of Markdown nodes, with a blank after each block. */
export const textOf = (nodes: readonly Rich[]): string =>
  nodes
    .map((node) =>
      typeof node === "string"
        ? node
        : textOf(node.children ?? []) + (INLINE_TYPES.includes(node.type) ? "" : " "),
    )
    .join("");
