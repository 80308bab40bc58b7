import type { Json, Preview, ShownApproval } from "../../core/generated/wire.ts";
import { fold, LINES, type Line, lengthOf, linesOf, type Parts, visible } from "../../core/parts.ts";
import { html, type Template } from "../html.ts";
import type { Say } from "../text.ts";
import { renderEscapes } from "./escapes.ts";

/** How a call is shown: whole, or long parts of it folded until `toggle` unfolds them. */
export interface Shown {
  say: Say;
  whole: boolean;
  toggle(): void;
}

const LOOKS: Record<string, string> = { "+": "add", "-": "del", "@": "hunk" };
const WORDS: Record<string, string> = { "+": "approval.added", "-": "approval.removed" };

function drawLine({ op = "", parts }: Line, say: Say): Template {
  const word = WORDS[op];
  const sign = word
    ? html`<span aria-hidden="true">${op}</span><span class="hidden">${say(word)}: </span>`
    : op;
  return html`<span class=${LOOKS[op]}>${op !== "@" && sign}${renderEscapes(parts)}${"\n"}</span>`;
}

function drawText(label: string, lines: readonly Line[], { say, whole, toggle }: Shown): Template {
  const folded = fold(lines);
  const draw = (some: readonly Line[]) => some.map((line) => drawLine(line, say));
  const text =
    folded && !whole
      ? html`${draw(folded.head)}<span class="gap">${say("approval.gap")}${"\n"}</span>${draw(folded.tail)}`
      : draw(lines);
  const many = lines.length > LINES;
  const all = say(many ? "approval.lines" : "approval.characters", {
    count: many ? lines.length : lengthOf(lines),
  });
  return html`<div class="part">
    <p class="name">${label}</p>
    <pre class="code" dir="ltr">${text}</pre>
    ${
      folded &&
      html`<button type="button" class="quiet more" aria-expanded=${String(whole)} .onclick=${toggle}>${whole ? say("approval.less") : all}</button>`
    }
  </div>`;
}

/** The members of an input, none if it is not an object. */
export const membersOf = (input: Json | undefined): Record<string, Json> =>
  typeof input === "object" && input !== null && !Array.isArray(input) ? input : {};

/** A call that came without a preview, such as one that a rule decided at once, is shown as its input. */
export function previewOf({ preview, input = {}, tool }: ShownApproval): Preview {
  if (preview) return preview;
  const members = membersOf(input);
  const { command } = members;
  if (typeof command === "string" && Object.keys(members).length === 1)
    return { type: "command", headline: `${tool}: ${command}`, parts: visible(command) };
  return { type: "json", headline: tool, parts: visible(JSON.stringify(input, null, 2)) };
}

/** What would run, or did: every character of it is seen or can be. */
export function drawCall(preview: Preview, shown: Shown): Template {
  const { type, path, folder, diff, parts = [], rest } = preview;
  const { say } = shown;
  const text = (key: string, some: Parts) => drawText(say(`approval.${key}`), linesOf(some), shown);
  return html`<div class="call">
    ${path && text("file", path)}
    ${diff ? drawText(say("approval.diff"), diff, shown) : parts.length > 0 && text(type, parts)}
    ${folder && text("folder", folder)}
    ${rest && text("rest", rest)}
  </div>`;
}
