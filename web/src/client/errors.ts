import type { ErrorBody, FieldError, InputRequest } from "../core/wire.ts";

/** The server said no (`status` 4xx or 5xx), or nothing was heard of it (`status` 0). */
export class WireError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly fieldErrors: readonly FieldError[] = [],
    readonly request: InputRequest | undefined = undefined,
  ) {
    super(message);
  }
}

/** Read the error shape of the wire; a body of any other shape still gives an error. */
export function wireError(status: number, body: unknown): WireError {
  const error = (body as Partial<ErrorBody> | null)?.error;
  return new WireError(
    status,
    error?.code ?? "unknown",
    error?.message ?? "",
    error?.field_errors ?? [],
    error?.request,
  );
}
