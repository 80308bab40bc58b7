import { newKey } from "../../client/key.ts";
import { hindrance } from "../../core/audience.ts";
import type { Actor, InputRequest } from "../../core/wire.ts";
import { html, type Template } from "../html.ts";
import type { Host } from "../kind.ts";

/** The way back from an approval on its receipt, until an event says that the call has run or cannot any more. */
export function drawRevoke(
  { client, say, view }: Host,
  request: InputRequest,
  me: Actor | undefined,
): Template | false {
  const { id, answer, source, used_at, revoked } = request;
  const until = answer?.decision === "approve" && source === "responder" ? answer.expires_at : null;
  if (!until || used_at || revoked || Date.parse(until) <= (client?.now ?? Date.now())) return false;
  if (!client?.post || !view.interactive || hindrance(request, me)) return false;
  // After a failure the button is there for another try.
  const revoke = () =>
    client.post?.(`/v1/requests/${encodeURIComponent(id)}/revoke`, {}, newKey()).catch(() => {});
  return html`<p class="by beside">${say("approval.not_run")}
    <button type="button" .onclick=${revoke}>${say("approval.revoke")}</button></p>`;
}
