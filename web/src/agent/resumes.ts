import type { CallOptions, Calls } from "./calls.ts";
import { Refused } from "./errors.ts";
import type { Resume } from "./generated/replies.ts";

/** How long the server waits for resumes in one call. */
const WAIT_S = 25;

export interface ListenOptions {
  /** Only those of one thread. */
  thread_id?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** `client.resumes`: outcomes of requests that nobody waited for. Each is processed once, by the client that leased it. */
export class Resumes {
  constructor(private readonly calls: Calls) {}

  /** Lease this agent's resumes for a minute; waits up to `wait` seconds (at most 60) for one. */
  async pull(
    {
      thread_id,
      wait = 0,
      limit = 1,
    }: { thread_id?: string | undefined; wait?: number; limit?: number } = {},
    options?: CallOptions,
  ): Promise<readonly Resume[]> {
    const args = { ...(thread_id === undefined ? {} : { thread_id }), wait, limit };
    return (await this.calls.call("pull_resumes", args, undefined, options)).resumes;
  }

  /** Acknowledge a resume, so that it is not delivered again. False if its lease has been lost. */
  async ack({ id, attempt }: Resume, options?: CallOptions): Promise<boolean> {
    try {
      await this.calls.call("ack_resume", { resume_id: id }, { attempt }, options);
      return true;
    } catch (error) {
      if (error instanceof Refused && error.code === "lease_lost") return false;
      throw error;
    }
  }

  /**
   * Yield resumes forever: `for await (const resume of ask.resumes.listen()) { … }`.
   *
   * Each is acknowledged when the next one is requested. A resume whose block ends by `break` or an error is delivered
   * again, unless you called `ack`.
   */
  async *listen({ thread_id, signal }: ListenOptions = {}): AsyncGenerator<Resume, never> {
    const listenOptions = { signal, retry_for: Number.POSITIVE_INFINITY };
    for (;;) {
      for (const resume of await this.pull({ thread_id, wait: WAIT_S }, listenOptions)) {
        yield resume;
        await this.ack(resume, listenOptions);
      }
    }
  }
}
