import type { InputRequest, RequestPage, Status } from "../core/generated/wire.ts";
import { addRequest, applyInboxEvent, applyShared, EMPTY_INBOX, type Inbox, waiting } from "../core/inbox.ts";
import type { Client } from "./client.ts";
import type { Socket } from "./socket.ts";

/** Follow the open requests of this person, newest first, until the returned function is called. */
export function followInbox(client: Client, show: (requests: InputRequest[]) => void): () => void {
  let inbox: Inbox = EMPTY_INBOX;
  return client.follow({
    async sync(socket) {
      const before = new Set(waiting(inbox).map((request) => request.id));
      await socket.call("subscribe", { inbox: true });
      const listed = [...(await list(socket, "resolving")), ...(await list(socket, "pending"))];
      // A request that was open before and is not listed has ended in the meantime.
      for (const request of listed) before.delete(request.id);
      const known = new Map([...inbox.known].filter(([id]) => !before.has(id)));
      inbox = listed.reduce(addRequest, { ...inbox, known });
      show(waiting(inbox));
    },
    event(event, level) {
      if (!("request" in event)) return;
      inbox = applyInboxEvent(inbox, { ...event, request: { ...event.request, level } });
      show(waiting(inbox));
    },
    shared(access) {
      inbox = applyShared(inbox, access);
      show(waiting(inbox));
    },
    refused: () => {},
  });
}

async function list(socket: Socket, status: Status): Promise<InputRequest[]> {
  const found: InputRequest[] = [];
  let cursor: string | null = null;
  do {
    const page: RequestPage = await socket.call<RequestPage>("list_requests", {
      status,
      limit: 200,
      ...(cursor ? { cursor } : {}),
    });
    found.push(...page.requests);
    cursor = page.next_cursor;
  } while (cursor);
  return found;
}
