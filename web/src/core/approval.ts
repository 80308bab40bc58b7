/** A tool call that wants to run, as the server shows it; see "Approvals" in docs/reference/wire.md. */

import type { Actor } from "./actor.ts";
import type { Json } from "./json.ts";
import type { Parts } from "./parts.ts";

export type Verdict = "approve" | "deny";
export type Scope = "once" | "thread" | "project" | "always";

export interface Risk {
  level?: "normal" | "danger";
  reasons?: string[];
}

export interface DiffLine {
  op: " " | "+" | "-" | "@";
  parts: Parts;
}

/** What would run, whole. `rest` is what else the input holds. */
export interface Preview {
  type: "command" | "file" | "json" | "plan";
  headline: string;
  parts?: Parts;
  argv?: boolean;
  path?: Parts | null;
  folder?: Parts | null;
  diff?: DiffLine[] | null;
  rest?: Parts | null;
}

/** A sentence of the policy as data: `reason.<code>` in the catalogue of a language; a parameter may be one itself. */
export interface ReasonCode {
  code: string;
  params?: Record<string, unknown>;
}

/** A rule that can be kept as it stands; `subject` is what is covered beyond exactly this call. */
export interface RuleChoice {
  rule: string;
  kind: "exact" | "options" | "folder";
  subject?: string | null;
}

/** `title`, `reason` and `agent_risk` are what the agent says of itself; all else is the server's. */
export interface Approval {
  tool: string;
  input?: Record<string, Json>;
  plan?: string | null;
  title?: string | null;
  reason?: string | null;
  risk?: Risk | null;
  agent_risk?: Risk | null;
  scopes?: Scope[];
  project?: string | null;
  allow_edit?: boolean;
  quorum?: number;
  digest?: string;
  rule?: string | null;
  choices?: RuleChoice[];
  /** Files that the command runs by name. */
  scripts?: string[];
  /** The command runs code of the project, as `npm test` does. */
  runs_project?: boolean;
  locked?: boolean;
  /** A folder that can be granted to the agent: with it the call would have run unasked. */
  root?: string | null;
  /** Why nothing but `once` can be chosen, in English; `only_once_code` says the same for other languages. */
  only_once?: string;
  only_once_code?: ReasonCode;
  /** In English; `reason_codes` and `risk_codes` say the same for other languages. */
  reasons?: string[];
  reason_codes?: ReasonCode[];
  risk_codes?: ReasonCode[];
  preview?: Preview | null;
}

/** What an approval adds to an answer. */
export interface Decided {
  decision?: Verdict | null;
  scope?: Scope | null;
  note?: string | null;
  edited_input?: Record<string, Json> | null;
  mode?: string | null;
  digest?: string | null;
  rule?: { id: string; text: string } | null;
  root?: string | null;
  policy_rule?: string | null;
  reasons?: string[];
  reason_codes?: ReasonCode[];
  /** Until when an approved call can run. */
  expires_at?: string | null;
}

/** One of several decisions that a request needs. */
export interface Vote {
  by: Actor;
  decision: Verdict;
  at: string;
}

/** How many have approvalCount by now. */
export const approvalCount = (votes: readonly Vote[] = []): number =>
  votes.filter(({ decision }) => decision === "approve").length;

/** Whether somebody has voted, as the server judges it: where no host says who they are, one name is one person. */
export const hasVoted = ({ id, name, user }: Actor, votes: readonly Vote[] = []): boolean =>
  votes.some(({ by }) =>
    by.user != null && user != null && user !== id ? by.user === user : by.id === id || by.name === name,
  );
