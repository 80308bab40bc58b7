import { newKey } from "../client/key.ts";
import type { InputRequest } from "../core/generated/wire.ts";
import { type Calls, withTimeout } from "./calls.ts";
import {
  type Approved,
  type Decision,
  decisionOf,
  type NotApproved,
  refusedApproval,
  unavailable,
} from "./decision.ts";
import { ConnectionLost, Denied, Refused } from "./errors.ts";
import type { Approval, ApprovalAsk, Json } from "./generated/bodies.ts";
import type { Execution } from "./generated/replies.ts";
import { callKey } from "./key.ts";
import { type AskingOptions, idOf, type RequestOrId, type Requests } from "./requests.ts";
import type { ThreadOf } from "./thread.ts";

const TIMEOUT_S = 300;
/** Seconds after its deadline within which the server reports that a request has expired. */
const CLOCK_TOLERANCE_S = 1;
/** Seconds for which the report of an execution may delay its result. */
const REPORT_TIMEOUT_S = 5;
const PLAN_TOOL = "plan";

export type ApproveOptions = Omit<Approval, "tool" | "input" | "plan"> &
  Omit<ApprovalAsk, "kind" | "approval" | "thread_id"> &
  AskingOptions & { thread_id?: string | undefined };

/** The part of the client that asks whether a call may run. */
export class Approvals {
  constructor(
    protected readonly calls: Calls,
    readonly requests: Requests,
    protected readonly retryFor: number,
    protected readonly threadOf: ThreadOf,
  ) {}

  /**
   * Ask whether a tool may run with this input, and resolve only if it may; otherwise throw `Denied`.
   *
   * Run `input` of the result, not the original: the person may have edited it (`allow_edit`). Every outcome other than
   * an approval is `Denied`, also when the server cannot be reached. Faults of the caller throw `Refused`.
   *
   * The request expires after `timeout_s` seconds (300; null waits forever). Without an `idempotency_key` the
   * `tool_call_id` is one, so that asking again for the same call finds the earlier request.
   */
  async approve<I>(tool: string, input: I, options: ApproveOptions = {}): Promise<Approved<I>> {
    return approvedOrThrow(await this.tryApprove(tool, input, options));
  }

  /** Ask as `approve` does, and return the decision instead of throwing `Denied`: look at `decision.approved`. */
  tryApprove<I>(tool: string, input: I, options: ApproveOptions = {}): Promise<Decision<I>> {
    return this.#decide<I>({ tool, input: input as Json }, options);
  }

  /** Ask whether a plan (Markdown) may be carried out; throws `Denied`, whose decision has the person's note. */
  async approvePlan(plan: string, options: ApproveOptions = {}): Promise<Approved<null>> {
    return approvedOrThrow(await this.#decide<null>({ plan }, options));
  }

  /** Ask without waiting: the outcome comes as a resume, whose request `decision` reads. */
  async park(tool: string, input: unknown, options: ApproveOptions = {}): Promise<InputRequest> {
    const { body, call } = await this.#question(
      { tool, input: input as Json },
      { ...options, delivery: "resume" },
    );
    return this.requests.create(body, call);
  }

  /** Return the decision of a request that you did not wait for. It is `pending` while nobody has decided. */
  async decision<I = Json>(request: RequestOrId): Promise<Decision<I>> {
    return decisionOf(await this.requests.get(request), await this.requests.text(request));
  }

  /**
   * Use an approval for a call that runs now, once, and return the decision; it is not `approved` if it may not run.
   *
   * That is so if it was used before (`used`), also by a process that died; if it is no longer valid (`expired`); if a
   * person has revoked it, or a rule denies the call; and if the server is unavailable.
   */
  async use<I>(decision: Decision<I>, execution_id = `exe_${newKey()}`): Promise<Decision<I>> {
    if (!decision.approved) return decision;
    const { request, digest } = decision;
    try {
      await this.consume(request, execution_id, digest ? { digest } : {});
      return decision;
    } catch (error) {
      if (error instanceof Refused && error.status === 409) {
        const currentDecision = await this.decision<I>(request); // it may have been revoked meanwhile
        return currentDecision.approved
          ? refusedApproval(currentDecision, error.code, error.message)
          : currentDecision;
      }
      if (error instanceof Refused && error.code === "decision_expired")
        return refusedApproval(decision, error.code, error.message);
      return unavailableOr(error, decision.tool);
    }
  }

  /** Use an approved call, once; the same `execution_id` again gets the same execution. Throws `Refused`. */
  consume(
    request: RequestOrId,
    execution_id: string,
    call: { tool?: string; input?: Json; digest?: string } = {},
  ): Promise<Execution> {
    return this.calls.call("consume_approval", { request_id: idOf(request) }, { execution_id, ...call });
  }

  /** Report the outcome of an execution. */
  report(
    request: RequestOrId,
    execution_id: string,
    outcome: "succeeded" | "failed",
    { note, signal }: { note?: string; signal?: AbortSignal } = {},
  ): Promise<Execution> {
    const body = { execution_id, outcome, note };
    return this.calls.call("report_execution", { request_id: idOf(request) }, body, { signal });
  }

  /**
   * Wrap a function of one argument, so that each call of it has to be approved.
   *
   * An approved call is used once, runs with the approved argument, and its outcome is reported. Options of a call, such
   * as its `tool_call_id`, are added to those for all calls. A call throws `Denied` if it may not run.
   */
  requiresApproval<I, R>(
    tool: string,
    run: (input: I) => R | Promise<R>,
    options: ApproveOptions = {},
  ): (input: I, moreOptions?: ApproveOptions) => Promise<R> {
    return async (input, moreOptions) => {
      const execution = `exe_${newKey()}`;
      const decision = await this.approve(tool, input, { ...options, ...moreOptions });
      const { request, input: approvedInput } = approvedOrThrow(await this.use(decision, execution));
      try {
        const result = await run(approvedInput);
        await this.#report(request, execution, "succeeded");
        return result;
      } catch (error) {
        // Only the kind of an error: its text may hold anything.
        await this.#report(request, execution, "failed", error instanceof Error ? error.name : typeof error);
        throw error;
      }
    };
  }

  /** Report an outcome, unless that fails: the call has run, and its result counts. */
  async #report(request: InputRequest, execution: string, outcome: "succeeded" | "failed", note?: string) {
    const signal = AbortSignal.timeout(REPORT_TIMEOUT_S * 1000);
    await this.report(request, execution, outcome, { signal, ...(note ? { note } : {}) }).catch(
      () => undefined,
    );
  }

  async #decide<I>(proposal: Approval, options: ApproveOptions): Promise<Decision<I>> {
    const { body, call } = await this.#question(proposal, options);
    const { signal, retry_for = this.retryFor } = call;
    const limit = (body.timeout_s ?? Number.POSITIVE_INFINITY) + CLOCK_TOLERANCE_S + retry_for;
    const tool = proposal.tool ?? PLAN_TOOL;
    try {
      return await withTimeout(limit * 1000, signal, async (signal) => {
        const request = await this.requests.ask(body, { ...call, signal, retry_for });
        return decisionOf<I>(request, await this.requests.text(request, { signal }));
      });
    } catch (error) {
      signal?.throwIfAborted();
      return unavailableOr(error, tool);
    }
  }

  async #question(
    proposal: Approval,
    options: ApproveOptions,
  ): Promise<{ body: ApprovalAsk; call: AskingOptions }> {
    const { thread_id, signal, idempotency_key, retry_for, cancel_on_abort, ...content } = options;
    const { title, reason, risk, scopes, project, allow_edit, preview, quorum, ...otherMembers } = content;
    const { exclude_requester, valid_s, cwd, secret_free, timeout_s = TIMEOUT_S, ...envelope } = otherMembers;
    const cardFields = {
      title,
      reason,
      risk,
      scopes,
      project,
      allow_edit,
      preview,
      quorum,
      exclude_requester,
    };
    const thread = this.threadOf(thread_id);
    const approval = { ...proposal, ...cardFields, valid_s, cwd, secret_free };
    const key = idempotency_key ?? (await callKey(thread, envelope.run_id, envelope.tool_call_id));
    return {
      body: { ...envelope, kind: "approval", thread_id: thread, timeout_s, approval },
      call: { signal, idempotency_key: key, retry_for, cancel_on_abort },
    };
  }
}

function approvedOrThrow<I>(decision: Decision<I>): Approved<I> {
  if (!decision.approved) throw new Denied(decision);
  return decision;
}

/** Return the false decision if the server or its store is unavailable, as opposed to a fault of the caller. */
function unavailableOr(error: unknown, tool: string): NotApproved {
  const hasTimedOut = error instanceof DOMException && error.name === "AbortError";
  // For a request that was just created, 404 means that the server came back without its database.
  const isOutage = error instanceof Refused && (error.status >= 500 || error.status === 404);
  if (hasTimedOut) return unavailable(tool, "The server did not report the outcome in time.");
  if (isOutage || error instanceof ConnectionLost) return unavailable(tool, error.message);
  throw error;
}
