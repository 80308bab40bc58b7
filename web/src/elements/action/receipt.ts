import { html, type Template } from "../html.ts";
import type { SettledRequest } from "../receipt/settled.ts";

const TEXT_KEYS: Record<string, string> = { requester: "agent", responder: "by" };

/** An action that was done or has failed: what it was, who says so, and why it failed. */
export function drawActionReceipt(view: SettledRequest): Template | undefined {
  const { action, answer, source } = view.request;
  if (!action || !answer?.outcome) return undefined;
  const { outcome, reason, names, message } = answer;
  const key = names?.length ? "action.connected" : `action.${outcome}_${TEXT_KEYS[source ?? ""] ?? "by"}`;
  return view.drawLine(html`${view.drawMark(outcome === "done")}
    <div>
      <p><strong>${action.title}</strong></p>
      <p class="by">${view.byline(key)}</p>
      ${reason && html`<p class="by">“${reason}”</p>`} ${message && html`<p class="by">${message}</p>`}
      ${names?.length ? html`<p class="by names"><code>${names.join(", ")}</code></p>` : ""} ${view.drawLate()}
    </div>`);
}
