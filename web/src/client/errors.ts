import type { Error as ErrorBody, FieldProblem, InputRequest } from "../core/generated/wire.ts";

/** The server refused or failed (`status` 4xx or 5xx), or did not reply (`status` 0). */
export class WireError extends Error {
  readonly code: string;
  readonly fieldErrors: readonly FieldProblem[];
  readonly request: InputRequest | null | undefined;

  /** `body` is the body of the reply; a body that is no `ErrorBody` gives an error with the code `unknown`. */
  constructor(
    readonly status: number,
    body?: unknown,
  ) {
    const error = (body as Partial<ErrorBody> | null | undefined)?.error;
    super(error?.message);
    this.code = error?.code ?? "unknown";
    this.fieldErrors = error?.field_errors ?? [];
    this.request = error?.request;
  }

  /** Whether sending the same again would fail again. */
  get final(): boolean {
    return this.status >= 400 && this.status < 500 && this.status !== 429;
  }
}
