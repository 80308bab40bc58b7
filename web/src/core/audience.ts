/** For whom a request is: the level that a person has in its thread, and the people and groups that it names. */

import type { Actor, Caller, InputRequest } from "./generated/wire.ts";

/** A person who reads or answers, as far as the page knows them. */
export type Person = Pick<Caller, "id" | "name"> & Partial<Caller>;

/** Whether somebody with this level may answer a request; where no level is known, the server decides. */
const allows = ({ kind, level }: InputRequest): boolean =>
  ["all", "owner"].includes(level ?? "all") || (level === "prompt" && kind !== "approval");

/** Whether somebody is named, by an id or a group of theirs; never by the name that is shown, which others may share. */
function isNamed({ id, user = id, groups = [] }: Person, assignees: readonly string[]): boolean {
  const names = [id, user, ...groups.map((group) => `group:${group}`)];
  return assignees.some((assignee) => names.includes(assignee));
}

/** Who may answer, as assignees: those to whom a person assigned it, or else those whom the agent named; empty for all. */
export function assigneesOf({ assignees, assigned = [], assignment }: InputRequest): readonly string[] {
  const namedAssignees = assignment?.assignees ?? assignees;
  return namedAssignees ? [...namedAssignees, ...assigned] : [];
}

/** Who may answer, by name as far as names are known; empty where a request is for everybody. */
export function audience(request: InputRequest): string {
  const { assignment, assigned = [] } = request;
  const names = assignment?.names ? [...assignment.names, ...assigned] : assigneesOf(request);
  return names.map((name) => name.replace(/^group:/, "")).join(", ");
}

/** Whether a request names people, and this known person is none of them. */
export function isForOthers(request: InputRequest, me: Person | undefined): boolean {
  const assignees = assigneesOf(request);
  return assignees.length > 0 && me !== undefined && !isNamed(me, assignees);
}

/**
 * Why somebody may not answer a request: they may only view it, the agent works for them and asked for somebody else,
 * or it is for others. Undefined for a person who is not known.
 */
export function readOnlyReason(
  request: InputRequest,
  me: Person | undefined,
): "view" | "excluded" | "for" | undefined {
  if (!allows(request)) return "view";
  const { approval, requester } = request;
  if (approval?.exclude_requester && me?.user && me.user === requester?.user) return "excluded";
  return isForOthers(request, me) ? "for" : undefined;
}

/** Whether these are the same person: the same host's user, or the same session. */
export const isSame = (me: Person, other: Actor | null | undefined): boolean =>
  (me.user ?? me.id) === (other?.user ?? other?.id);
