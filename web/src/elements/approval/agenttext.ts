import type { InputRequest } from "../../core/generated/wire.ts";
import { ownValue } from "../../core/path.ts";
import { html, type Template } from "../html.ts";
import { onDemand } from "../ondemand.ts";
import type { GetText } from "../text.ts";
import { escapeText, escapeTree } from "./escapes.ts";

/** Draw a text of the agent, which may be Markdown, at its place in the request. */
export function drawText(request: InputRequest, text: string, path: string, getText: GetText): Template {
  const tree = ownValue(request.view?.markdown, path);
  const rich = onDemand.rich?.(tree && escapeTree(tree), getText);
  return html`<div class=${rich ? "description rich" : "description"}>${rich ?? escapeText(text)}</div>`;
}
