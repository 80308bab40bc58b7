import type { Answer, InputRequest, RequestPage } from "../core/generated/wire.ts";
import type { CallOptions, Calls } from "./calls.ts";
import { Cancelled, Declined, Expired } from "./errors.ts";
import type { CancelBody } from "./generated/bodies.ts";
import type { Operations } from "./generated/operations.ts";

/** A request that was asked, or its id. */
export type RequestOrId = InputRequest | string;

export const idOf = (request: RequestOrId): string => (typeof request === "string" ? request : request.id);

/** How long the server holds one poll. */
const POLL_S = 25;
/** How long an aborted wait may take to cancel its request. */
const WITHDRAWAL_S = 5;

export interface WaitOptions {
  /** Ends the wait; it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface AskingOptions extends CallOptions {
  /** Whether to cancel the request when the signal is aborted; true by default. */
  cancel_on_abort?: boolean | undefined;
}

/** `client.requests`: create, read, list, cancel and wait for requests. */
export class Requests {
  constructor(private readonly calls: Calls) {}

  /** Ask without waiting; `delivery: "resume"` queues the outcome (see `resumes`). */
  create(body: Operations["create_request"]["body"], options?: CallOptions): Promise<InputRequest> {
    return this.calls.call("create_request", {}, body, options);
  }

  async get(request: RequestOrId, options?: CallOptions): Promise<InputRequest> {
    const foundRequest = await this.calls.call(
      "get_request",
      { request_id: idOf(request) },
      undefined,
      options,
    );
    return foundRequest as InputRequest; // null is the reply to a poll only
  }

  /** Read a page of requests, newest first; `next_cursor` leads to older ones. */
  list(filter: Operations["list_requests"]["args"] = {}, options?: CallOptions): Promise<RequestPage> {
    return this.calls.call("list_requests", filter, undefined, options);
  }

  cancel(
    request: RequestOrId,
    reason: CancelBody["reason"] = "agent_aborted",
    options?: CallOptions,
  ): Promise<InputRequest> {
    return this.calls.call("cancel_request", { request_id: idOf(request) }, { reason }, options);
  }

  /** Return the sentence for a model about the outcome of a request, or about its status. */
  async text(request: RequestOrId, options?: CallOptions): Promise<string> {
    const args = { request_id: idOf(request) };
    return (await this.calls.call("get_request_text", args, undefined, options)).text;
  }

  /** Wait until a request has ended, through restarts of the server, and return it. */
  async wait(request: RequestOrId, { signal }: WaitOptions = {}): Promise<InputRequest> {
    const args = { request_id: idOf(request) };
    const waitOptions = { signal, retry_for: Number.POSITIVE_INFINITY };
    for (;;) {
      const poll = { ...args, wait: POLL_S, receipt: true };
      const currentRequest = await this.calls.call("get_request", poll, undefined, waitOptions);
      // Only the second read tells the server that the outcome has arrived: until then a resume is held.
      if (currentRequest && isEnded(currentRequest)) return this.get(currentRequest, waitOptions);
    }
  }

  /** Ask and wait. When the signal is aborted, the request is cancelled, unless `cancel_on_abort` is false. */
  async ask(
    body: Operations["create_request"]["body"],
    { signal, cancel_on_abort = true, retry_for = Number.POSITIVE_INFINITY, ...options }: AskingOptions,
  ): Promise<InputRequest> {
    signal?.throwIfAborted();
    // Not ended by the signal: a request that was created and not seen would stay open.
    const abort = new AbortController();
    const creation = this.create(body, { ...options, retry_for, signal: abort.signal });
    try {
      const created = await unlessAborted(creation, signal);
      return isEnded(created) ? created : await this.wait(created, { signal });
    } catch (error) {
      if (signal?.aborted && cancel_on_abort) await this.#withdraw(creation);
      abort.abort();
      throw error;
    }
  }

  async #withdraw(creation: Promise<InputRequest>): Promise<void> {
    const limit = AbortSignal.timeout(WITHDRAWAL_S * 1000);
    const cancellation = creation.then((created) => this.cancel(created, "agent_aborted", { signal: limit }));
    await unlessAborted(cancellation, limit).catch(() => undefined);
  }
}

const isEnded = ({ status }: InputRequest): boolean => status !== "pending" && status !== "resolving";

/** Return the answer of a request that has ended, or throw how it ended without one. */
export function answerOf(request: InputRequest): Answer {
  if (request.status === "answered") return request.answer ?? {};
  if (request.status === "declined") throw new Declined(request);
  throw request.status === "expired" ? new Expired(request) : new Cancelled(request);
}

/** Reject with the signal's reason as soon as it is aborted. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
