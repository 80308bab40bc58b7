import type { Json, Preview, PreviewField, ShownApproval } from "../../core/generated/wire.ts";
import {
  foldLines,
  type Line,
  lengthOf,
  linesOf,
  MAX_LINES,
  showInvisible,
  textOf,
} from "../../core/parts.ts";
import { html, type Template } from "../html.ts";
import type { GetText } from "../text.ts";
import { renderEscapes } from "./escapes.ts";
import { drawCode, type Syntax, syntaxOf, tokens } from "./highlight.ts";

/** How a call is shown: unfolded, or with long parts folded until `toggle` unfolds them. */
export interface CallDisplay {
  getText: GetText;
  unfolded: boolean;
  /** False where nothing can be folded. */
  toggle: (() => void) | false;
  /** Called while something is drawn that hides lines. */
  hide(): void;
}

/** How the lines of a text are drawn. */
interface LineStyle {
  syntax?: Syntax;
  /** The dangerous words. */
  marks?: readonly string[] | undefined;
  /** The numbers of the lines. */
  numbers?: readonly string[];
}

const LINE_CLASSES: Record<string, string> = { "+": "add", "-": "del", "@": "hunk" };
const LINE_LABELS: Record<string, string> = { "+": "approval.added", "-": "approval.removed" };

interface NumberedLine extends Line {
  readonly number?: string | undefined;
}

function drawLine(
  { op = "", parts, number }: NumberedLine,
  { getText }: CallDisplay,
  style: LineStyle,
  isTarget = false,
): Template {
  const word = LINE_LABELS[op];
  const sign = word
    ? html`<span aria-hidden="true">${op}</span><span class="hidden">${getText(word)}: </span>`
    : op;
  const text = op === "@" ? renderEscapes(parts) : drawCode(parts, style.syntax ?? "plain", style.marks);
  return html`<span class=${LINE_CLASSES[op]} data-n=${number} tabindex=${isTarget && "-1"}>${op !== "@" && sign}${text}${"\n"}</span>`;
}

/** How many unchanged lines are shown around a change. */
const CONTEXT = 3;

/** Draw the lines of a text, folded where they are many, with a button that unfolds them. */
function drawLines(
  lines: readonly NumberedLine[],
  display: CallDisplay,
  style: LineStyle = {},
  plain = false,
): Template {
  const { getText, unfolded, toggle, hide } = display;
  // Never folded: what is near a change of a file, an escape, and a dangerous word.
  const folded = foldLines(
    lines,
    ({ parts }, at) =>
      lines.slice(Math.max(at - CONTEXT, 0), at + CONTEXT + 1).some(({ op = " " }) => op !== " ") ||
      parts.some(
        (part) =>
          typeof part !== "string" ||
          tokens(part, style.syntax ?? "plain", style.marks).some(([group]) => group === "risk"),
      ),
  );
  if (folded && !unfolded) hide();
  // The last line before what was hidden.
  const target = unfolded && folded ? folded.indexOf(null) - 1 : -1;
  const gap = html`<span class="gap">${getText("approval.gap")}${"\n"}</span>`;
  const text = (!unfolded && folded ? folded : lines).map((line, at) =>
    line ? drawLine(line, display, style, at === target) : gap,
  );
  const isLong = lines.length > MAX_LINES;
  const unfoldLabel = getText(isLong ? "approval.lines" : "approval.characters", {
    count: isLong ? lines.length : lengthOf(lines),
  });
  return html`<pre class=${plain ? "text" : "code"} dir=${plain ? "auto" : "ltr"}>${text}</pre>
    ${
      folded &&
      toggle &&
      html`<button type="button" class="quiet more" aria-expanded=${String(unfolded)} .onclick=${toggle}>${unfolded ? getText("approval.less") : unfoldLabel}</button>`
    }`;
}

/** Draw a box with a head that says what it holds. */
const drawBox = (title: unknown, note: unknown, body: unknown): Template =>
  html`<div class="cmd"><div class="head"><span class="name">${title}</span>${note && html`<span class="where">${note}</span>`}</div>${body}</div>`;

/** The members of an input, none if it is not an object. */
export const membersOf = (input: Json | undefined): Record<string, Json> =>
  typeof input === "object" && input !== null && !Array.isArray(input) ? input : {};

/** Return the preview of a call; one without a preview, such as one that a rule decided, is shown as its input. */
export function previewOf({ preview, input = {}, tool }: ShownApproval): Preview {
  if (preview) return preview;
  const members = membersOf(input);
  const { command } = members;
  if (typeof command === "string" && Object.keys(members).length === 1)
    return { type: "command", headline: `${tool}: ${command}`, parts: showInvisible(command) };
  return { type: "json", headline: tool, parts: showInvisible(JSON.stringify(input, null, 2)) };
}

/** Number the lines of a diff: each by its place in the file that has it. */
function numberLines({ diff = [], whole }: Preview): NumberedLine[] {
  let [before, after] = whole ? [1, 1] : [0, 0];
  return (diff ?? []).map((line) => {
    const { op, parts } = line;
    const hunk = op === "@" && /^@@ -(\d+),\d+ \+(\d+),/.exec(parts?.map(textOf).join("") ?? "");
    if (hunk) [before, after] = [Number(hunk[1]), Number(hunk[2])];
    else if (op === "@" && /^@@ /.test(parts?.map(textOf).join("") ?? "")) [before, after] = [0, 0];
    const number = op === "-" ? before : after;
    if (op === "-" || op === " ") before += before && 1;
    if (op === "+" || op === " ") after += after && 1;
    return { op, parts: parts ?? [], number: op === "@" ? "" : number ? String(number) : undefined };
  });
}

/** The members that stand in lines of their own, under their names. */
const BLOCKS = ["body", "query"];

/** The words of a query that change or delete data. */
const CHANGES = "delete update insert drop truncate alter grant revoke".split(" ");

function drawField({ name, parts, role, syntax }: PreviewField, display: CallDisplay): Template {
  const { getText } = display;
  const label = role
    ? getText(`approval.role_${role}`)
    : html`<code>${name.length > 0 ? renderEscapes(name) : '""'}</code>`;
  const lines = linesOf(parts);
  const isShort = lines.length === 1 && lengthOf(lines) < 200;
  const value =
    isShort && syntax !== "sql"
      ? html`<span class=${syntax === "json" ? "exact" : "value"}>${syntax === "json" ? drawCode(parts, "json") : renderEscapes(parts)}</span>`
      : drawLines(
          lines,
          display,
          { syntax: syntax ?? "plain", marks: syntax === "sql" ? CHANGES : [] },
          !syntax,
        );
  return html`<div class=${role && BLOCKS.includes(role) && "block"}><dt>${label}</dt><dd>${value}</dd></div>`;
}

/** Draw members of the input as a table of names and values. */
const drawFields = (fields: readonly PreviewField[], display: CallDisplay): Template | false =>
  fields.length > 0 && html`<dl class="rows">${fields.map((field) => drawField(field, display))}</dl>`;

function drawMain(preview: Preview, display: CallDisplay): Template | false {
  const { type, path, folder, fields = [], parts = [], argv } = preview;
  const { getText } = display;
  if (path) {
    // What the file holds now is the agent's word: a line that looks unchanged may be new.
    const compared = preview.whole && preview.diff?.some(({ op }) => op === " ");
    const count = html`<span class="plus">+${preview.added ?? 0}</span> <span class="minus">−${preview.removed ?? 0}</span> ${compared && getText("approval.compared")}`;
    const syntax = syntaxOf(path.map(textOf).join(""));
    return drawBox(
      html`<code>${renderEscapes(path)}</code>`,
      count,
      drawLines(numberLines(preview), display, { syntax }),
    );
  }
  if (type === "command") {
    const folderLabel = folder && html`${getText("approval.in")} <code>${renderEscapes(folder)}</code>`;
    const style = { syntax: "shell", marks: preview.marks } as const;
    return drawBox(
      getText(argv ? "approval.argv" : "approval.command"),
      folderLabel,
      drawLines(linesOf(parts), display, style),
    );
  }
  if (fields.length > 0 && type !== "plan")
    return drawBox(getText(`approval.is_${type}`), "", drawFields(fields, display));
  if (type === "table") return html`<p class="hint">${getText("approval.no_input")}</p>`;
  return (
    parts.length > 0 &&
    drawBox(getText(`approval.${type}`), "", drawLines(linesOf(parts), display, { syntax: "json" }))
  );
}

/** Draw the input beside what is drawn by itself. */
export function drawRest({ fields = [], rest }: Preview, display: CallDisplay): Template {
  const label = display.getText("approval.rest");
  return html`${fields.length > 0 && drawBox(label, "", drawFields(fields, display))}
    ${rest && drawBox(label, "", drawLines(linesOf(rest), display, { syntax: "json" }))}`;
}

/** The call that would run, or did. Every character is visible or can be made visible. */
export function drawCall(preview: Preview, display: CallDisplay): Template {
  const hasRest = preview.path || preview.type === "command" || preview.type === "plan" || preview.rest;
  return html`<div class="call">${drawMain(preview, display)} ${hasRest && drawRest(preview, display)}</div>`;
}
