/** Tool calls in a conversation: those of one step are one line that opens. */

import type { ToolBlock } from "../../core/generated/wire.ts";
import type { Locale } from "../../core/messages.ts";
import type { Part } from "../../core/transcript.ts";
import { html, type Template } from "../html.ts";
import { draw, icons } from "../icons.ts";
import { cross, tick } from "../marks.ts";
import type { Say } from "../text.ts";

const TOOL = draw("M4 5h16v14H4zM7 9l3 3-3 3M12 15h5");
const CHEVRON = draw("M6 9l6 6 6-6");
/** So many names stand in the line. */
const NAMES = 3;

/** The calls of one step. */
export interface Step {
  readonly type: "tools";
  readonly calls: readonly ToolBlock[];
}

/** A part with the name by which its element is known while the message grows. */
export interface Named {
  readonly id: string;
  readonly part: Part | Step;
}

/** Fold calls that follow each other. */
export function fold(parts: readonly Part[]): readonly Named[] {
  const folded: Named[] = [];
  for (const [at, each] of parts.entries()) {
    const next = parts[at + 1];
    // A call waits for a person while the request after it is open, also if its agent reports that it runs.
    const waits = next?.type === "request" && next.request?.status === "pending";
    const part: Part =
      each.type === "tool" && each.status === "calling" && waits ? { ...each, status: "waiting" } : each;
    const last = folded.at(-1);
    const { part: before } = last ?? {};
    if (last && part.type === "tool" && (before?.type === "tool" || before?.type === "tools")) {
      const calls = before.type === "tools" ? [...before.calls, part] : [before, part];
      folded[folded.length - 1] = { id: last.id, part: { type: "tools", calls } };
    } else folded.push({ id: part.type === "request" ? part.id : `${part.type}${at}`, part });
  }
  return folded;
}

/** The language of who reads. */
interface Reader {
  readonly say: Say;
  readonly locale: Locale;
}

const isRunning = ({ status }: ToolBlock): boolean =>
  status === "calling" || status === "running" || status === "waiting";

const seconds = (ms: number, { say, locale }: Reader): string =>
  say("call.took", { seconds: new Intl.NumberFormat(locale).format(Math.round(ms / 100) / 10) });

/** Draw the calls of a step. */
export function drawStep({ calls }: Step, reader: Reader): Template {
  const { say } = reader;
  const names = [...new Set(calls.map(({ name }) => name))];
  const listed = names.slice(0, NAMES).join(", ") + (names.length > NAMES ? ", …" : "");
  const running = calls.some(isRunning);
  const failed = calls.filter(({ status }) => status === "failed").length;
  const took = calls.reduce((sum, { duration_ms: ms }) => sum + (ms ?? 0), 0);
  const mark = running ? icons.clock : failed > 0 ? cross : tick;
  return html`<details class="tools">
    <summary>${mark}<span class="line">${say(running ? "chat.runs_tools" : "chat.ran_tools", { count: calls.length, names: listed })}</span>${failed > 0 && html`<span class="bad">${say("chat.failed_tools", { count: failed })}</span>`}${took > 0 && !running && html`<span>${seconds(took, reader)}</span>`}${CHEVRON}</summary>
    ${calls.map((call) => drawCall(call, reader))}
  </details>`;
}

/** Draw one call: its name, its state, how long it took, and behind that what went in and came out. */
export function drawCall(
  { name, status, input, result, duration_ms: took }: ToolBlock,
  reader: Reader,
): Template {
  const { say } = reader;
  const word = status && say(`call.${status === "running" ? "calling" : status}`);
  const json = (value: unknown, label: "input" | "call.result") =>
    html`<pre tabindex="0" aria-label=${say(label)}>${JSON.stringify(value, null, 2)}</pre>`;
  return html`<details class=${`tool ${status ?? ""}`}>
    <summary>${TOOL}<code>${name}</code>${word && html`<span>${word}</span>`}${took != null && html`<span>${seconds(took, reader)}</span>`}</summary>
    ${json(input ?? {}, "input")} ${result != null && json(result, "call.result")}
  </details>`;
}
