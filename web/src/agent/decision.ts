import type { InputRequest, Scope } from "../core/generated/wire.ts";
import { TEXTS } from "./generated/texts.ts";

interface DecidedCall {
  readonly tool: string;
  /** The sentence for the model. */
  readonly text: string;
  readonly note?: string | null | undefined;
  readonly digest?: string | null | undefined;
  readonly reasons: readonly string[];
  /** Who decided: `responder` or `policy`. */
  readonly source?: string | null | undefined;
}

/** A call that may run, once, with `input`: run this, not the input that you asked about. */
export interface Approved<I> extends DecidedCall {
  readonly approved: true;
  readonly status: "approve";
  readonly input: I;
  readonly scope?: Scope | "session" | "global" | null | undefined;
  readonly mode?: "plan" | "normal" | "accept_edits" | "full" | null | undefined;
  readonly request: InputRequest;
}

/** A call that must not run. `used` was started before, `pending` is not decided, `unavailable` could not be asked. */
export interface NotApproved extends DecidedCall {
  readonly approved: false;
  readonly status:
    | "deny"
    | "declined"
    | "cancelled"
    | "expired"
    | "revoked"
    | "used"
    | "pending"
    | "unavailable";
  readonly request?: InputRequest | undefined;
}

/** The outcome of a request to run a call. An object is always true in JavaScript: look at `approved`. */
export type Decision<I> = Approved<I> | NotApproved;

/** Return the decision of a request for approval, also while it is open; `text` is the sentence for the model. */
export function decisionOf<I>(request: InputRequest, text: string): Decision<I> {
  const { approval, answer } = request;
  if (!approval) throw new TypeError(`${request.id} is a ${request.kind}, which has no decision.`);
  const shared = {
    tool: approval.tool ?? "plan",
    text,
    note: answer ? answer.note : request.note,
    digest: answer?.digest ?? approval.digest,
    reasons: answer?.reasons ?? [],
    source: request.source,
    request,
  };
  const status = statusOf(request);
  if (status !== "approve") return { ...shared, approved: false, status };
  const input = (answer?.edited_input ?? approval.input) as I;
  return { ...shared, approved: true, status, input, scope: answer?.scope, mode: answer?.mode };
}

function statusOf({ status, revoked, answer }: InputRequest): Decision<unknown>["status"] {
  if (status === "pending" || status === "resolving") return "pending";
  if (status !== "answered") return status;
  if (revoked) return "revoked";
  return answer?.decision === "approve" ? "approve" : "deny";
}

/** Return the false decision about a call that nobody could be asked about; `why` is for the operator. */
export const unavailable = (tool: string, explanation: string): NotApproved => ({
  approved: false,
  status: "unavailable",
  tool,
  text: fill("unavailable", { tool: quote(tool) }),
  reasons: [explanation],
});

/** Return the false decision for an approval that the server refuses to use, with its code and its sentence. */
export function refusedApproval(decision: Approved<unknown>, code: string, explanation: string): NotApproved {
  const { tool, request, digest } = decision;
  const shared = { approved: false, tool, request, digest, reasons: [] } as const;
  const words = { tool: quote(tool) };
  if (code === "already_consumed") return { ...shared, status: "used", text: fill("used", words) };
  if (code === "decision_expired") return { ...shared, status: "expired", text: fill("lapsed", words) };
  const text = `${fill("hook", words)}\n${fill("reasons", { reasons: explanation })}`;
  return { ...shared, status: "deny", source: "policy", reasons: [explanation], text };
}

/** Return a text for the model with its placeholders replaced. */
export const fill = (key: keyof typeof TEXTS, words: Readonly<Record<string, string>>): string =>
  TEXTS[key].replace(/\{(\w+)\}/g, (match, name: string) => words[name] ?? match);

const quote = (text: string): string => JSON.stringify(text);
