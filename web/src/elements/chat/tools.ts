/** Tool calls in a conversation: those of one step are one line that opens. */

import type { ThreadRequest, ToolBlock } from "../../core/generated/wire.ts";
import { isTerminal } from "../../core/lifecycle.ts";
import type { Locale } from "../../core/messages.ts";
import type { Part } from "../../core/transcript.ts";
import { html, type Template } from "../html.ts";
import { draw, icons } from "../icons.ts";
import { crossIcon, tickIcon } from "../statusicons.ts";
import type { GetText } from "../text.ts";

const TOOL_ICON = draw("M4 5h16v14H4zM7 9l3 3-3 3M12 15h5");
const CHEVRON = draw("M6 9l6 6 6-6");
/** The most names that are shown in the line. */
const MAX_NAMES = 3;

/** A call with the state that is shown. */
type ShownCall = Omit<ToolBlock, "status"> & { readonly status?: ToolBlock["status"] | "denied" | "not_run" };

/** The calls of one step. */
export interface ToolStep {
  readonly type: "tools";
  readonly calls: readonly ShownCall[];
}

/** A part with the name by which its element is known while the message grows. */
export interface IdentifiedPart {
  readonly id: string;
  readonly part: Exclude<Part, ToolBlock> | ShownCall | ToolStep;
}

/** Fold calls that follow each other. */
export function groupToolCalls(parts: readonly Part[]): readonly IdentifiedPart[] {
  const groups: IdentifiedPart[] = [];
  for (const [index, item] of parts.entries()) {
    const next = parts[index + 1];
    const request = next?.type === "request" && next.request;
    const part = request && item.type === "tool" ? { ...item, status: statusOf(item, request) } : item;
    const { id = "", part: previous } = groups.at(-1) ?? {};
    if (part.type === "tool" && (previous?.type === "tool" || previous?.type === "tools")) {
      const calls = previous.type === "tools" ? previous.calls : [previous];
      groups[groups.length - 1] = { id, part: { type: "tools", calls: [...calls, part] } };
    } else groups.push({ id: part.type === "request" ? part.id : `${part.type}${index}`, part });
  }
  return groups;
}

/** The state of a call by the request after it, which may say more than its agent: that a person is asked, or why it was not run. */
function statusOf({ status }: ToolBlock, request: ThreadRequest): ShownCall["status"] {
  if (status === "calling" && request.status === "pending") return "waiting";
  if (status !== "failed") return status;
  if (request.answer?.decision === "deny") return "denied";
  const isAllowed = request.status === "answered" && !request.revoked;
  const isClosed = request.kind === "approval" ? isTerminal(request.status) : request.status === "cancelled";
  const isRefused = isClosed && !isAllowed;
  return isRefused && !request.used_at ? "not_run" : status;
}

/** The language of who reads. */
interface Reader {
  readonly getText: GetText;
  readonly locale: Locale;
}

/** Whether a call has not ended. */
const isRunning = ({ status }: ShownCall): boolean =>
  status === "calling" || status === "running" || status === "waiting";

const seconds = (ms: number, { getText, locale }: Reader): string =>
  getText("call.took", { seconds: new Intl.NumberFormat(locale).format(Math.round(ms / 100) / 10) });

/** Draw the calls of a step. */
export function drawStep({ calls }: ToolStep, reader: Reader): Template {
  const { getText } = reader;
  const names = [...new Set(calls.map(({ name }) => name))];
  const listedNames = names.slice(0, MAX_NAMES).join(", ") + (names.length > MAX_NAMES ? ", …" : "");
  const running = calls.some(isRunning);
  const waits = running && calls.every((call) => call.status === "waiting" || !isRunning(call));
  const failed = calls.filter(({ status }) => status === "failed").length;
  const totalMs = calls.reduce((sum, { duration_ms: ms }) => sum + (ms ?? 0), 0);
  const mark = running ? icons.clock : failed > 0 ? crossIcon : tickIcon;
  return html`<details class="tools">
    <summary>${mark}<span class="line">${getText(running && !waits ? "chat.running_calls" : "chat.calls", { count: calls.length, names: listedNames })}</span>${waits && html`<span>${getText("call.waiting")}</span>`}${failed > 0 && html`<span class="bad">${getText("chat.failed_calls", { count: failed })}</span>`}${totalMs > 0 && !running && html`<span>${seconds(totalMs, reader)}</span>`}${CHEVRON}</summary>
    ${calls.map((call) => drawCall(call, reader))}
  </details>`;
}

/** Draw one call: its name, its state, how long it took, and behind that what went in and came out. */
export function drawCall(
  { name, status, input, result, duration_ms: durationMs }: ShownCall,
  reader: Reader,
): Template {
  const { getText } = reader;
  const word = status && getText(`call.${status === "running" ? "calling" : status}`);
  const json = (value: unknown, label: "input" | "call.result") =>
    html`<pre tabindex="0" aria-label=${getText(label)}>${JSON.stringify(value, null, 2)}</pre>`;
  return html`<details class="tool">
    <summary>${TOOL_ICON}<code>${name}</code>${word && html`<span class=${status === "failed" && "bad"}>${word}</span>`}${durationMs != null && html`<span>${seconds(durationMs, reader)}</span>`}</summary>
    ${json(input ?? {}, "input")} ${result != null && json(result, "call.result")}
  </details>`;
}
