import type { ThreadSnapshot } from "../core/generated/wire.ts";
import { adoptSnapshot, applyEvent, emptyThread, hasGap, type Transcript } from "../core/transcript.ts";
import type { Client } from "./client.ts";
import type { Follower } from "./connection.ts";

/**
 * Follow a conversation until the returned function is called.
 *
 * `show` receives every new state; a `readonly` follower cannot answer, which the server is told.
 * `gone` is called if this person has no access or the thread does not exist.
 */
export function followThread(
  client: Client,
  id: string,
  show: (thread: Transcript) => void,
  gone: () => void,
  readonly = false,
): () => void {
  let thread: Transcript | null = null;
  let reading = false;
  const put = (next: Transcript): void => {
    if (next !== thread) show(next);
    thread = next;
  };
  const follower: Follower = {
    thread: id,
    async sync(socket) {
      reading = true;
      try {
        if (!thread || hasGap(thread)) {
          const snapshot = await socket.call<ThreadSnapshot>("get_thread", { thread_id: id });
          put(adoptSnapshot(thread ?? emptyThread(id), snapshot));
        }
        await socket.call("subscribe", { thread_id: id, cursor: thread?.seq ?? 0, readonly });
      } finally {
        reading = false;
      }
      // What came while this was read, and could not be applied.
      if (thread && hasGap(thread)) client.resync(follower);
    },
    event(event) {
      if (event.thread_id !== id || !thread) return;
      put(applyEvent(thread, event));
      if (hasGap(thread) && !reading) client.resync(follower);
    },
    refused: gone,
  };
  return client.follow(follower);
}
