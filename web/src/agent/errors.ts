import { WireError } from "../client/errors.ts";
import type { Error as ErrorBody, FieldProblem, InputRequest } from "../core/generated/wire.ts";
import type { NotApproved } from "./decision.ts";

/**
 * The base of all errors of this package:
 *
 *     AskbackError
 *     ├── Refused          the server refused the call
 *     ├── ConnectionLost   the server cannot be reached
 *     ├── NoServer         no server was named and none was found
 *     ├── NotAnswered      a request ended without an answer
 *     │   ├── Declined
 *     │   ├── Cancelled
 *     │   └── Expired
 *     ├── Denied           a call was not approved
 *     └── LeaseEnded       the values of a lease are gone
 */
export class AskbackError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/** The server refused the call: a stable `code` for programs, and each fault with its path in `fieldErrors`. */
export class Refused extends AskbackError {
  readonly status: number;
  readonly code: string;
  readonly fieldErrors: readonly FieldProblem[];
  /** The request as it is now, if the refusal is about one. */
  readonly request: InputRequest | null | undefined;
  /** Seconds to wait before the call is sent again, 0 if the server says nothing about that. */
  readonly retryAfter: number;

  /** `body` is the body of the reply, which may be from a proxy. */
  constructor(status: number, body: unknown) {
    const error = new WireError(status, body);
    const faults = error.fieldErrors.map(({ path, message }) => `\n  ${path}: ${message}`);
    super((error.message || "The server refused this without saying why.") + faults.join(""));
    this.status = error.status;
    this.code = error.code;
    this.fieldErrors = error.fieldErrors;
    this.request = error.request;
    this.retryAfter = (body as Partial<ErrorBody> | null)?.error?.retry_after ?? 0;
  }
}

/** The server could not be reached for `retry_for` seconds. */
export class ConnectionLost extends AskbackError {
  constructor(url: string, cause?: unknown) {
    super(`The server at ${url} cannot be reached. Check the URL, and that \`askback serve\` runs.`, {
      cause,
    });
  }
}

/** No server was named and none was found; the message says what to set. */
export class NoServer extends AskbackError {}

/** A request ended without an answer; `request` is the request as it ended. */
export class NotAnswered extends AskbackError {
  constructor(readonly request: InputRequest) {
    super(`request ${request.id} was ${request.status}${request.reason ? `: ${request.reason}` : ""}`);
  }
}

/** The person declined to answer (`request.reason`: skipped, dismissed or refused). */
export class Declined extends NotAnswered {}

/** The request was cancelled (`request.reason` says why). */
export class Cancelled extends NotAnswered {}

/** Nobody answered before the deadline. */
export class Expired extends NotAnswered {}

/** A call was not approved, so it must not run; the message is for the model, `decision` says why. */
export class Denied extends AskbackError {
  constructor(readonly decision: NotApproved) {
    super(decision.text);
  }
}

/** The callback of a lease is over, and its values are gone; lease them again. */
export class LeaseEnded extends AskbackError {
  constructor() {
    super("This lease has ended. Use it within its callback, or lease the secrets again.");
  }
}
