import type { InputRequest } from "../core/generated/wire.ts";
import { html, type Template } from "./html.ts";
import { icons } from "./icons.ts";
import { type GetText, momentText, timeLeft } from "./text.ts";

/** Milliseconds until the remaining time is drawn again: more often, the less is left. */
export const redrawDelayMs = (remainingMs: number): number =>
  remainingMs < 150_000 ? 1_000 : remainingMs < 3_600_000 ? 15_000 : 300_000;

/** The highest limit of questions that a person is told. */
const MAX_SHOWN_QUESTIONS = 50;

/**
 * Draw who asks, above everything that the agent wrote.
 *
 * The agent chooses its own name but not that of its token, so both are shown, each with a label.
 */
export function drawRequester(
  request: InputRequest,
  getText: GetText,
  locale: string,
  thread: boolean,
  now: number,
): Template {
  const { agent, requester, expires_at, ordinal, of } = request;
  const dueText =
    expires_at &&
    [momentText(expires_at, locale), timeLeft(expires_at, now, locale)].filter(Boolean).join(" · ");
  return html`<div class="asker" id="asker">
    <span>${icons.agent}${getText("asked_by")} <b>${agent?.name ?? requester?.name ?? "?"}</b></span>
    ${agent?.tool && html`<span>${getText("tool")} <code>${agent.tool}</code></span>`}
    ${agent && requester && html`<span>${getText("token")} <bdi>${requester.name}</bdi></span>`}
    ${thread && html`<span>${getText("thread")} <bdi>${request.thread_id}</bdi></span>`}
    ${ordinal && of && of <= MAX_SHOWN_QUESTIONS && html`<span>${getText("question_number", { n: ordinal, of })}</span>`}
    ${dueText && html`<span class="due">${icons.clock}${getText("due", { when: dueText })}</span>`}
  </div>`;
}
