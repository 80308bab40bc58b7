import type { InputRequest } from "../core/wire.ts";
import { html, type Template } from "./html.ts";
import { icons } from "./icons.ts";
import { type Say, when } from "./text.ts";

/**
 * Who asks, drawn by us above everything that the agent wrote.
 *
 * The agent chooses its own name; the token's name it cannot choose, so both are shown, each with its word.
 */
export function drawAsker(request: InputRequest, say: Say, locale: string, thread: boolean): Template {
  const { agent, requester, expires_at } = request;
  return html`<div class="asker" id="asker">
    <span>${icons.agent}${say("asked_by")} <b>${agent?.name ?? requester?.name ?? "?"}</b></span>
    ${agent?.tool && html`<span>${say("tool")} <code>${agent.tool}</code></span>`}
    ${agent && requester && html`<span>${say("token")} <bdi>${requester.name}</bdi></span>`}
    ${thread && html`<span>${say("thread")} <bdi>${request.thread_id}</bdi></span>`}
    ${expires_at && html`<span class="due">${icons.clock}${say("due", { when: when(expires_at, locale) })}</span>`}
  </div>`;
}
