import type { InputRequest } from "../../core/generated/wire.ts";
import { own } from "../../core/path.ts";
import { html, type Template } from "../html.ts";
import { onDemand } from "../ondemand.ts";
import type { Say } from "../text.ts";
import { escapeText, escapeTree } from "./escapes.ts";

/** Draw a text of the agent, which may be Markdown, at its place in the request. */
export function drawText(request: InputRequest, text: string, path: string, say: Say): Template {
  const tree = own(request.view?.markdown, path);
  const drawn = onDemand.rich?.(tree && escapeTree(tree), say);
  return html`<div class=${drawn ? "description rich" : "description"}>${drawn ?? escapeText(text)}</div>`;
}
