/** What an agent reads beyond `wire.ts`, made by scripts/gen_client.py from the models of the server. */

import type { InputRequest, Json, Run } from "../../core/generated/wire.ts";

export type * from "../../core/generated/wire.ts";

/** When a thread was archived, null if it is not, and the requests that archiving it cancelled. */
export interface ArchivedThread {
  id: string;
  archived_at: string | null;
  cancelled?: string[] | undefined;
}

/** The ids of the cancelled requests. */
export interface CancelledRun {
  cancelled: string[];
}

/** The one use of an approved call. Run exactly `input`, which is the input that was approved. */
export interface Execution {
  request_id: string;
  execution_id: string;
  tool: string;
  input: Json;
  digest: string;
  consumed_at: string;
  outcome?: "succeeded" | "failed" | null | undefined;
  note?: string | null | undefined;
}

/** The value of a secret. */
export interface LeasedSecret {
  value: string;
  scope: "session" | "project" | "global" | "request";
  version: number;
}

/** The sentence for a model about the outcome of a request, or about its status while it is open. */
export interface RequestText {
  text: string;
}

/** The outcome of a request, for an agent that has ended its turn. `text` is for the model. */
export interface Resume {
  id: string;
  thread_id: string;
  request_id: string;
  text: string;
  attempt: number;
  until: string;
  request: InputRequest;
}

/** Leased resumes, oldest first. */
export interface ResumeList {
  resumes: Resume[];
}

/** Runs, newest first. */
export interface RunPage {
  runs: Run[];
  next_cursor: string | null;
}

/** The leased values by name, and the time until which they may be used. */
export interface SecretLease {
  secrets: Record<string, LeasedSecret>;
  expires_at: string;
}
