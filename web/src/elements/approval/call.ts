import type { Json, Preview, PreviewField, ShownApproval } from "../../core/generated/wire.ts";
import { fold, LINES, type Line, lengthOf, linesOf, textOf, visible } from "../../core/parts.ts";
import { html, type Template } from "../html.ts";
import type { Say } from "../text.ts";
import { renderEscapes } from "./escapes.ts";
import { drawCode, type Syntax, syntaxOf } from "./highlight.ts";

/** How a call is shown: whole, or long parts of it folded until `toggle` unfolds them. */
export interface Shown {
  say: Say;
  whole: boolean;
  toggle(): void;
}

/** How the lines of a text are drawn. */
interface Look {
  syntax?: Syntax;
  /** The dangerous words. */
  marks?: readonly string[] | undefined;
  /** The numbers of the lines. */
  numbers?: readonly string[];
}

const LOOKS: Record<string, string> = { "+": "add", "-": "del", "@": "hunk" };
const WORDS: Record<string, string> = { "+": "approval.added", "-": "approval.removed" };

interface NumberedLine extends Line {
  readonly number?: string | undefined;
}

function drawLine({ op = "", parts, number }: NumberedLine, { say }: Shown, look: Look): Template {
  const word = WORDS[op];
  const sign = word
    ? html`<span aria-hidden="true">${op}</span><span class="hidden">${say(word)}: </span>`
    : op;
  const text = op === "@" ? renderEscapes(parts) : drawCode(parts, look.syntax ?? "plain", look.marks);
  return html`<span class=${LOOKS[op]} data-n=${number}>${op !== "@" && sign}${text}${"\n"}</span>`;
}

/** Draw the lines of a text, folded where they are many, with a button that unfolds them. */
function drawLines(lines: readonly NumberedLine[], shown: Shown, look: Look = {}, plain = false): Template {
  const { say, whole, toggle } = shown;
  const folded = fold(lines);
  const draw = (some: readonly NumberedLine[]) => some.map((line) => drawLine(line, shown, look));
  const text =
    folded && !whole
      ? html`${draw(folded.head)}<span class="gap">${say("approval.gap")}${"\n"}</span>${draw(folded.tail)}`
      : draw(lines);
  const many = lines.length > LINES;
  const all = say(many ? "approval.lines" : "approval.characters", {
    count: many ? lines.length : lengthOf(lines),
  });
  return html`<pre class=${plain ? "text" : "code"} dir=${plain ? "auto" : "ltr"}>${text}</pre>
    ${
      folded &&
      html`<button type="button" class="quiet more" aria-expanded=${String(whole)} .onclick=${toggle}>${whole ? say("approval.less") : all}</button>`
    }`;
}

/** Draw a box with a head that says what it holds. */
const drawBox = (head: unknown, aside: unknown, body: unknown): Template =>
  html`<div class="cmd"><div class="head"><span class="name">${head}</span>${aside && html`<span class="where">${aside}</span>`}</div>${body}</div>`;

/** The members of an input, none if it is not an object. */
export const membersOf = (input: Json | undefined): Record<string, Json> =>
  typeof input === "object" && input !== null && !Array.isArray(input) ? input : {};

/** Return the preview of a call; one without a preview, such as one that a rule decided, is shown as its input. */
export function previewOf({ preview, input = {}, tool }: ShownApproval): Preview {
  if (preview) return preview;
  const members = membersOf(input);
  const { command } = members;
  if (typeof command === "string" && Object.keys(members).length === 1)
    return { type: "command", headline: `${tool}: ${command}`, parts: visible(command) };
  return { type: "json", headline: tool, parts: visible(JSON.stringify(input, null, 2)) };
}

/** Number the lines of a diff: each by its place in the file that has it. */
function numbered({ diff = [], whole }: Preview): NumberedLine[] {
  let [before, after] = whole ? [1, 1] : [0, 0];
  return (diff ?? []).map((line) => {
    const { op, parts } = line;
    const hunk = op === "@" && /^@@ -(\d+),\d+ \+(\d+),/.exec(parts?.map(textOf).join("") ?? "");
    if (hunk) [before, after] = [Number(hunk[1]), Number(hunk[2])];
    else if (op === "@" && /^@@ /.test(parts?.map(textOf).join("") ?? "")) [before, after] = [0, 0];
    const at = op === "-" ? before : after;
    if (op === "-" || op === " ") before += before && 1;
    if (op === "+" || op === " ") after += after && 1;
    return { op, parts: parts ?? [], number: op === "@" ? "" : at ? String(at) : undefined };
  });
}

/** The members that stand in lines of their own, under their names. */
const BLOCKS = ["body", "query"];

/** The words of a query that change or delete data. */
const CHANGES = "delete update insert drop truncate alter grant revoke".split(" ");

function drawField({ name, parts, role, syntax }: PreviewField, shown: Shown): Template {
  const { say } = shown;
  const label = role
    ? say(`approval.role_${role}`)
    : html`<code>${name.length > 0 ? renderEscapes(name) : '""'}</code>`;
  const lines = linesOf(parts);
  const short = lines.length === 1 && lengthOf(lines) < 200;
  const value =
    short && syntax !== "sql"
      ? html`<span class=${syntax === "json" ? "exact" : "value"}>${syntax === "json" ? drawCode(parts, "json") : renderEscapes(parts)}</span>`
      : drawLines(
          lines,
          shown,
          { syntax: syntax ?? "plain", marks: syntax === "sql" ? CHANGES : [] },
          !syntax,
        );
  return html`<div class=${role && BLOCKS.includes(role) && "block"}><dt>${label}</dt><dd>${value}</dd></div>`;
}

/** Draw members of the input as a table of names and values. */
const drawFields = (fields: readonly PreviewField[], shown: Shown): Template | false =>
  fields.length > 0 && html`<dl class="rows">${fields.map((field) => drawField(field, shown))}</dl>`;

function drawMain(preview: Preview, shown: Shown): Template | false {
  const { type, path, folder, fields = [], parts = [], argv } = preview;
  const { say } = shown;
  if (path) {
    const count = html`<span class="plus">+${preview.added ?? 0}</span> <span class="minus">−${preview.removed ?? 0}</span>`;
    const syntax = syntaxOf(path.map(textOf).join(""));
    return drawBox(
      html`<code>${renderEscapes(path)}</code>`,
      count,
      drawLines(numbered(preview), shown, { syntax }),
    );
  }
  if (type === "command") {
    const place = folder && html`${say("approval.in")} <code>${renderEscapes(folder)}</code>`;
    const look = { syntax: "shell", marks: preview.marks } as const;
    return drawBox(
      say(argv ? "approval.argv" : "approval.command"),
      place,
      drawLines(linesOf(parts), shown, look),
    );
  }
  if (fields.length > 0 && type !== "plan")
    return drawBox(say(`approval.is_${type}`), "", drawFields(fields, shown));
  if (type === "table") return html`<p class="hint">${say("approval.no_input")}</p>`;
  return (
    parts.length > 0 &&
    drawBox(say(`approval.${type}`), "", drawLines(linesOf(parts), shown, { syntax: "json" }))
  );
}

/** Draw the input beside what is drawn by itself. */
export function drawRest({ fields = [], rest }: Preview, shown: Shown): Template {
  const label = shown.say("approval.rest");
  return html`${fields.length > 0 && drawBox(label, "", drawFields(fields, shown))}
    ${rest && drawBox(label, "", drawLines(linesOf(rest), shown, { syntax: "json" }))}`;
}

/** The call that would run, or did. Every character is visible or can be made visible. */
export function drawCall(preview: Preview, shown: Shown): Template {
  const beside = preview.path || preview.type === "command" || preview.type === "plan" || preview.rest;
  return html`<div class="call">${drawMain(preview, shown)} ${beside && drawRest(preview, shown)}</div>`;
}
