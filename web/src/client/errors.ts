import type { ErrorBody, FieldError, InputRequest } from "../core/wire.ts";

/** The server said no (`status` 4xx or 5xx), or nothing was heard of it (`status` 0). */
export class WireError extends Error {
  readonly code: string;
  readonly fieldErrors: readonly FieldError[];
  readonly request: InputRequest | undefined;

  /** `body` is the error shape of the wire; one of any other shape still makes an error. */
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

  /** Whether trying again changes nothing. */
  get final(): boolean {
    return this.status >= 400 && this.status < 500 && this.status !== 429;
  }
}
