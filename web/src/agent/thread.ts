import { AskbackError } from "./errors.ts";

/** Returns the thread to ask in: that of the call, or else that of the client. */
export type ThreadOf = (thread_id: string | undefined) => string;

export const threadOf =
  (usual: string | undefined): ThreadOf =>
  (thread_id = usual) => {
    if (thread_id) return thread_id;
    throw new AskbackError(
      "There is no thread to ask in. Pass thread_id to this call, or to the client for all calls.",
    );
  };
