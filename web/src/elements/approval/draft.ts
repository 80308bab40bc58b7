import type { DecisionBody, InputRequest, Json, Scope, ShownApproval } from "../../core/generated/wire.ts";
import { membersOf } from "./call.ts";

/** The person's entries for an approval; the names are those of the body. */
export interface ApprovalDraft {
  /** A note for the agent; about a plan, what to change. */
  readonly note: string;
  /** The rule to store; null for the one that is exactly this call. */
  readonly rule: string | null;
  /** Whether later changes to the files that the command runs are accepted. */
  readonly script_may_change: boolean;
  /** Whether the rule is for every agent, not only for the one that asks. */
  readonly every_agent: boolean;
  /** The call as it is being edited: the command of a shell, else the input as JSON; null while it is not edited. */
  readonly edited_input: string | null;
}

export const EMPTY_DRAFT: ApprovalDraft = {
  note: "",
  rule: null,
  script_may_change: false,
  every_agent: false,
  edited_input: null,
};

function commandOf({ preview, input }: ShownApproval): string | undefined {
  const { command } = membersOf(input);
  return preview?.type === "command" && !preview.argv && typeof command === "string" ? command : undefined;
}

/** Whether the command alone is edited. */
export const isCommand = (approval: ShownApproval): boolean => commandOf(approval) !== undefined;

/** The call as a text to edit. */
export const editable = (approval: ShownApproval): string =>
  commandOf(approval) ?? JSON.stringify(approval.input ?? {}, null, 2);

const typeOf = (value: Json | undefined): string =>
  value === null ? "null" : Array.isArray(value) ? "list" : typeof value;

/** Return the input that the edited text means, null if it is not of the same JSON type. */
export function inputOf(approval: ShownApproval, text: string): Json {
  if (isCommand(approval)) return { ...membersOf(approval.input), command: text };
  try {
    const input: Json = JSON.parse(text);
    return typeOf(input) === typeOf(approval.input) ? input : null;
  } catch {
    return null;
  }
}

/** Return the note to send, undefined if it is blank. */
const noteOf = ({ note }: ApprovalDraft): string | undefined => note.trim() || undefined;

/** Return the body of a denial, for this call or for good. */
export const denialBody = (
  { revision, approval }: InputRequest,
  draft: ApprovalDraft,
  isPermanent = false,
): DecisionBody => ({
  revision,
  decision: "deny",
  scope: isPermanent ? "always" : undefined,
  rule: (isPermanent && draft.rule) || undefined,
  every_agent: (isPermanent && draft.every_agent) || undefined,
  digest: approval?.digest,
  note: noteOf(draft),
});

/** Return the body of an approval, null if the edited input is invalid. Unchanged members are left out. */
export function approvalBody(
  { revision, approval }: InputRequest,
  draft: ApprovalDraft,
  step: Scope | "root",
  mode?: "accept_edits",
): DecisionBody | null {
  if (!approval) return null;
  const { edited_input: text, rule, script_may_change, every_agent } = draft;
  const scope = step === "root" ? "once" : step;
  const stores = scope !== "once";
  const input = text === null || text === editable(approval) ? undefined : inputOf(approval, text);
  if (input === null) return null;
  return {
    revision,
    decision: "approve",
    scope,
    digest: approval.digest,
    note: noteOf(draft),
    rule: (stores && rule) || undefined,
    script_may_change: (stores && script_may_change) || undefined,
    every_agent: (stores && every_agent) || undefined,
    grant_root: step === "root" || undefined,
    edited_input: input,
    mode,
  };
}
