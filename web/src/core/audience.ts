/** For whom a request is: the level that a person has in its thread, and the people and groups that it names. */

import type { Actor } from "./actor.ts";
import type { InputRequest } from "./wire.ts";

/** Whether somebody with this level may answer a request; where no level is known, the server decides. */
const allows = ({ kind, level = "all" }: InputRequest): boolean =>
  ["all", "owner"].includes(level) || (level === "prompt" && kind !== "approval");

/** Whether somebody is named, by an id or a group of theirs; never by the name that is shown, which others may share. */
function isNamed({ id, user = id, groups = [] }: Actor, assignees: readonly string[]): boolean {
  const names = [id, user, ...groups.map((group) => `group:${group}`)];
  return assignees.some((assignee) => names.includes(assignee));
}

/** Who may answer, by name; empty where a request is for everybody. */
export const audience = ({ assignees, assigned = [] }: InputRequest): string =>
  [...(assignees ?? []), ...assigned].map((name) => name.replace(/^group:/, "")).join(", ");

/** Why somebody may not answer a request: they can but read it, or it is for others. Nobody knows of a stranger. */
export function hindrance(request: InputRequest, me: Actor | undefined): "view" | "for" | undefined {
  if (!allows(request)) return "view";
  const { assignees, assigned = [] } = request;
  return assignees && me && !isNamed(me, [...assignees, ...assigned]) ? "for" : undefined;
}

/** Whether these are the same person: one session, or two of one user of the host's. */
export const isSame = (me: Actor, other: Actor | null | undefined): boolean =>
  !!other && (me.id === other.id || (me.user != null && me.user === other.user));
