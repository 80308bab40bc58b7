import type { Approval, Scope } from "../../core/approval.ts";
import type { Json } from "../../core/json.ts";
import type { InputRequest } from "../../core/wire.ts";
import type { Decision } from "../events.ts";

/** What the person has typed about an approval, before it is a decision; the names are those of the body. */
export interface Entered {
  /** A note for the agent; about a plan, what to change. */
  readonly note: string;
  /** The rule to keep; null for the one that is exactly this call. */
  readonly rule: string | null;
  /** Whether the files that the command runs may contain anything later. */
  readonly script_may_change: boolean;
  /** Whether the rule is for every agent, not only for the one that asks. */
  readonly every_agent: boolean;
  /** The call as it is being edited: the command of a shell, else the input as JSON; null while it is not edited. */
  readonly edited_input: string | null;
}

export const NOTHING: Entered = {
  note: "",
  rule: null,
  script_may_change: false,
  every_agent: false,
  edited_input: null,
};

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

/** The body of a denial, for this time or for good. */
export const denial = ({ revision, approval }: InputRequest, entered: Entered, never = false): Decision => ({
  revision,
  decision: "deny",
  scope: never ? "always" : undefined,
  rule: (never && entered.rule) || undefined,
  every_agent: (never && entered.every_agent) || undefined,
  digest: approval?.digest,
  note: noteOf(entered),
});

/** The body of an approval; null where what was edited is no input. What the person left as it was is not sent. */
export function approvalOf(
  { revision, approval }: InputRequest,
  entered: Entered,
  asking: Scope | "root",
  mode?: "accept_edits",
): Decision | null {
  if (!approval) return null;
  const { edited_input: text, rule, script_may_change, every_agent } = entered;
  const scope = asking === "root" ? "once" : asking;
  const keeps = scope !== "once";
  const input = text === null || text === editable(approval) ? undefined : inputOf(approval, text);
  if (input === null) return null;
  return {
    revision,
    decision: "approve",
    scope,
    digest: approval.digest,
    note: noteOf(entered),
    rule: (keeps && rule) || undefined,
    script_may_change: (keeps && script_may_change) || undefined,
    every_agent: (keeps && every_agent) || undefined,
    grant_root: asking === "root" || undefined,
    edited_input: input,
    mode,
  };
}
