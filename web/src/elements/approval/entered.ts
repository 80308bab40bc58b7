import type { Approval, Scope } from "../../core/approval.ts";
import type { InputRequest, Json } from "../../core/wire.ts";
import type { Decision } from "../events.ts";

/** What the person has typed about an approval, before it is a decision; the names are those of the body. */
export interface Entered {
  /** A note for the agent; about a plan, what to change. */
  readonly note: string;
  /** The rule to keep, as it stands in its box; null while it is the proposed one. */
  readonly rule: string | null;
  /** The call as it is being edited: the command of a shell, else the input as JSON; null while it is not edited. */
  readonly edited_input: string | null;
}

export const NOTHING: Entered = { note: "", rule: null, edited_input: null };

const commandOf = ({ preview, input = {} }: Approval): string | undefined =>
  preview?.type === "command" && !preview.argv && typeof input.command === "string"
    ? input.command
    : undefined;

/** Whether the command alone is edited. */
export const isCommand = (approval: Approval): boolean => commandOf(approval) !== undefined;

/** The call as a text to edit. */
export const editable = (approval: Approval): string =>
  commandOf(approval) ?? JSON.stringify(approval.input ?? {}, null, 2);

/** The input that a text stands for, or null where it is no object. */
export function inputOf(approval: Approval, text: string): Record<string, Json> | null {
  if (isCommand(approval)) return { ...approval.input, command: text };
  try {
    const input: unknown = JSON.parse(text);
    return typeof input === "object" && input !== null && !Array.isArray(input)
      ? (input as Record<string, Json>)
      : null;
  } catch {
    return null;
  }
}

/** The note as it is sent: none where nothing is written. */
const noteOf = ({ note }: Entered): string | undefined => note.trim() || undefined;

/** The body of a denial. */
export const denial = ({ revision, approval }: InputRequest, entered: Entered): Decision => ({
  revision,
  decision: "deny",
  digest: approval?.digest,
  note: noteOf(entered),
});

/** The body of an approval; null where what was edited is no input. What the person left as it was is not sent. */
export function approvalOf(
  { revision, approval }: InputRequest,
  entered: Entered,
  scope: Scope,
  mode?: "accept_edits",
): Decision | null {
  if (!approval) return null;
  const { edited_input: text, rule } = entered;
  const input = text === null || text === editable(approval) ? undefined : inputOf(approval, text);
  if (input === null) return null;
  return {
    revision,
    decision: "approve",
    scope,
    digest: approval.digest,
    note: noteOf(entered),
    rule: scope === "once" || rule === null || rule.trim() === approval.rule ? undefined : rule.trim(),
    edited_input: input,
    mode,
  };
}
