import type { InputRequest } from "../core/wire.ts";
import { html, type Template } from "./html.ts";
import { icons } from "./icons.ts";
import { left, type Say, when } from "./text.ts";

/**
 * Who asks, drawn by us above everything that the agent wrote.
 *
 * The agent chooses its own name; the token's name it cannot choose, so both are shown, each with its word.
 */
export function drawAsker(
  request: InputRequest,
  say: Say,
  locale: string,
  thread: boolean,
  now: number,
): Template {
  const { agent, requester, expires_at } = request;
  const due =
    expires_at && [when(expires_at, locale), left(expires_at, now, locale)].filter(Boolean).join(" · ");
  return html`<div class="asker" id="asker">
    <span>${icons.agent}${say("asked_by")} <b>${agent?.name ?? requester?.name ?? "?"}</b></span>
    ${agent?.tool && html`<span>${say("tool")} <code>${agent.tool}</code></span>`}
    ${agent && requester && html`<span>${say("token")} <bdi>${requester.name}</bdi></span>`}
    ${thread && html`<span>${say("thread")} <bdi>${request.thread_id}</bdi></span>`}
    ${due && html`<span class="due">${icons.clock}${say("due", { when: due })}</span>`}
  </div>`;
}
