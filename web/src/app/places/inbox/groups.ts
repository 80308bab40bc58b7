/** The order of the inbox: what is due soon, by its deadline; then what came today and earlier, newest first. */

import type { InputRequest } from "../../../core/generated/wire.ts";

export type Group = "due" | "today" | "earlier" | "later" | "missed";

/** How long before its deadline a request is due soon. */
const SOON_MS = 60 * 60_000;

/** Whether a request has little time left. */
export const endsSoon = ({ expires_at }: InputRequest, now: number): boolean =>
  !!expires_at && Date.parse(expires_at) - now < SOON_MS;

/** Return the requests by group, in their order; groups without any are left out. `midnight` is when today began. */
export function groupRequests(
  requests: readonly InputRequest[],
  now: number,
  midnight: number,
): (readonly [Group, readonly InputRequest[]])[] {
  const groups = { due: [] as InputRequest[], today: [] as InputRequest[], earlier: [] as InputRequest[] };
  for (const request of requests) {
    if (endsSoon(request, now)) groups.due.push(request);
    else groups[Date.parse(request.created_at) >= midnight ? "today" : "earlier"].push(request);
  }
  groups.due.sort((a, b) => Date.parse(a.expires_at ?? "") - Date.parse(b.expires_at ?? ""));
  return (["due", "today", "earlier"] as const)
    .map((name) => [name, groups[name]] as const)
    .filter(([, members]) => members.length > 0);
}
