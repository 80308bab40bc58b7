import type { InputRequest } from "../core/wire.ts";
import type { Client } from "./client.ts";

/** Follow one request, wherever it is; `gone` when there is none such for this person. */
export function followRequest(
  client: Client,
  id: string,
  show: (request: InputRequest) => void,
  gone: () => void,
): () => void {
  return client.follow({
    async sync(socket) {
      const { thread_id } = await socket.call<InputRequest>("get", { request_id: id });
      // Subscribe first and read after: what happens in between comes by either way.
      await socket.call("subscribe", { thread_id });
      show(await socket.call<InputRequest>("get", { request_id: id }));
    },
    event(event) {
      if ("request" in event && event.request.id === id) show(event.request);
    },
    refused: gone,
  });
}
