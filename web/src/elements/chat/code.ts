/** Blocks of code, with colours and a button that copies, and tables. */

import type { RichNode } from "../../core/generated/wire.ts";
import { INVISIBLE_CHARACTERS, showInvisible } from "../../core/parts.ts";
import { drawCode, syntaxOf } from "../approval/highlight.ts";
import { copy } from "../copy.ts";
import { html, type Template } from "../html.ts";
import { draw } from "../icons.ts";
import type { GetText } from "../text.ts";

const COPY = draw("M9 9h11v11H9zM15 9V4H4v11h5");
const COPIED_MS = 2_000;

/** Draw a block of code; all other nodes are drawn elsewhere. */
export function drawBlock(node: RichNode, getText: GetText): Template | undefined {
  if (node.type !== "pre") return undefined;
  const code = (node.children ?? []).join(""); // texts only
  const language = node.language ?? "";
  const syntax = syntaxOf(language);
  const lines = code
    .split(/(?<=\n)/)
    .flatMap((line) => drawCode(showInvisible(line, INVISIBLE_CHARACTERS), syntax));
  return html`<div class="code">
    <div class="code-head">
      <span>${language}</span>
      <button type="button" class="quiet" .onclick=${(event: Event) => void copyFrom(event, code, getText)}>${COPY}<span aria-live="polite">${getText("chat.copy")}</span></button>
    </div>
    <pre tabindex="0" dir="ltr"><code>${lines}</code></pre>
  </div>`;
}

async function copyFrom(event: Event, code: string, getText: GetText): Promise<void> {
  const words = (event.currentTarget as Element).querySelector("span") as HTMLElement;
  await copy(code);
  const before = words.textContent;
  words.textContent = getText("chat.copied");
  setTimeout(() => {
    words.textContent = before;
  }, COPIED_MS);
}
