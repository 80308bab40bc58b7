import type { InputRequest, Subscription } from "../core/generated/wire.ts";
import type { Client } from "./client.ts";
import type { Follower } from "./connection.ts";

/** Follow one request; `gone` is called if this person has no access or the request does not exist. */
export function followRequest(
  client: Client,
  id: string,
  show: (request: InputRequest) => void,
  onGone: () => void,
): () => void {
  let level: Subscription["level"];
  const follower: Follower & { thread: string | undefined } = {
    thread: undefined,
    async sync(socket) {
      const { thread_id } = await socket.call<InputRequest>("get_request", { request_id: id });
      follower.thread = thread_id;
      // Subscribe first and read after, so that no change in between is missed.
      ({ level } = await socket.call<Subscription>("subscribe", { thread_id }));
      show({ ...(await socket.call<InputRequest>("get_request", { request_id: id })), level });
    },
    event(event) {
      if ("request" in event && event.request.id === id) show({ ...event.request, level });
      else if (event.type === "thread.access" && event.thread_id === follower.thread) client.resync(follower);
    },
    refused: onGone,
  };
  return client.follow(follower);
}
