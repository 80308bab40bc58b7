import texts from "../../../../src/askback/messages/en.json?call" with { type: "json" };
import type { FilePart, ToolBlock } from "../../core/generated/wire.ts";
import { addTexts, type Locale } from "../../core/messages.ts";
import type { Part } from "../../core/transcript.ts";
import type { StoredFiles } from "../files/stored.ts";
import { html, type Template } from "../html.ts";
import { draw } from "../icons.ts";
import type { Sender } from "../kind.ts";
import type { Say } from "../text.ts";
import { blocks } from "./blocks.css.ts";

addTexts(texts);

const TOOL = draw("M4 5h16v14H4zM7 9l3 3-3 3M12 15h5");

/** Only these addresses become pictures. */
const PICTURE = /^(https:\/\/|data:image\/)/i;

/** Who shows the conversation. */
interface Reader {
  readonly client: Sender | undefined;
  readonly say: Say;
  readonly locale: Locale;
  redraw(): void;
}

/** What draws the files of a conversation, once it has one. */
const files = new WeakMap<Reader, { stored?: StoredFiles }>();

function drawFile({ file, alt }: FilePart, reader: Reader): Template | false {
  const held = files.get(reader);
  if (held) return !!held.stored && held.stored.drawLink(file, alt ?? undefined);
  const coming: { stored?: StoredFiles } = {};
  files.set(reader, coming);
  void import("../files/stored.ts").then(
    (part) => {
      coming.stored = new part.StoredFiles(reader);
      reader.redraw();
    },
    () => files.delete(reader),
  );
  return false;
}

/** Add the styles to the element that shows the conversation. */
export function dress(root: ShadowRoot): void {
  root.adoptedStyleSheets.push(blocks);
}

/** Draw a picture or a tool call; other blocks are nothing here. */
export function drawBlock(part: Part, reader: Reader): Template | false {
  if (part.type === "image")
    return PICTURE.test(part.url) && html`<img src=${part.url} alt=${part.alt} loading="lazy" />`;
  if (part.type === "file") return drawFile(part, reader);
  return part.type === "tool" && drawCall(part, reader);
}

function drawCall(
  { name, status, input, result, duration_ms: took }: ToolBlock,
  { say, locale }: Reader,
): Template {
  const word = status && say(`call.${status === "running" ? "calling" : status}`);
  const seconds = took != null && new Intl.NumberFormat(locale).format(Math.round(took / 100) / 10);
  const json = (value: unknown, label: "input" | "call.result") =>
    html`<pre tabindex="0" aria-label=${say(label)}>${JSON.stringify(value, null, 2)}</pre>`;
  return html`<details class=${`tool ${status ?? ""}`}>
    <summary>${TOOL}<code>${name}</code>${word && html`<span>${word}</span>`}${seconds && html`<span>${say("call.took", { seconds })}</span>`}</summary>
    ${json(input ?? {}, "input")} ${result != null && json(result, "call.result")}
  </details>`;
}
