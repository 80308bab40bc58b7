import type { Actor } from "../../core/actor.ts";
import { hindrance } from "../../core/audience.ts";
import type { InputRequest } from "../../core/wire.ts";
import type { Host } from "../kind.ts";

/** Whether an approval can be taken back: until an event says that the call has run or cannot any more. */
export function mayRevoke({ client, view }: Host, request: InputRequest, me: Actor | undefined): boolean {
  const { answer, source, used_at, revoked } = request;
  const until = answer?.decision === "approve" && source === "responder" ? answer.expires_at : null;
  if (!until || used_at || revoked || Date.parse(until) <= (client?.now ?? Date.now())) return false;
  return !!client?.post && view.interactive && !hindrance(request, me);
}
