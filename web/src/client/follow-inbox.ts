import type { RequestPage, Status } from "../core/generated/wire.ts";
import { addRequests, applyInboxEvent, applyShared, EMPTY_INBOX, type Inbox } from "../core/inbox.ts";
import type { Client } from "./client.ts";
import type { Socket } from "./socket.ts";

/**
 * Follow the open requests of this person, until the returned function is called.
 *
 * `show` gets every new state; `loading` is true while there are more pages to read.
 */
export function followInbox(client: Client, show: (inbox: Inbox, loading: boolean) => void): () => void {
  let inbox: Inbox = EMPTY_INBOX;
  let loading = true;
  const setInbox = (next: Inbox): void => {
    inbox = next;
    show(inbox, loading);
  };
  return client.follow({
    async sync(socket) {
      const previousIds = new Set(inbox.byId.keys());
      await socket.call("subscribe", { inbox: true });
      const read = async (status: Status): Promise<void> => {
        for await (const { requests } of pages(socket, status)) {
          for (const request of requests) previousIds.delete(request.id);
          setInbox(addRequests(inbox, requests));
        }
      };
      await Promise.all([read("resolving"), read("pending")]);
      loading = false;
      // A request that was known before and is not listed has ended.
      setInbox({ ...inbox, byId: new Map([...inbox.byId].filter(([id]) => !previousIds.has(id))) });
    },
    event(event, level) {
      if ("request" in event)
        setInbox(applyInboxEvent(inbox, { ...event, request: { ...event.request, level } }));
    },
    shared(access) {
      setInbox(applyShared(inbox, access));
    },
    refused: () => {},
  });
}

async function* pages(socket: Socket, status: Status): AsyncGenerator<RequestPage> {
  let cursor: string | null = null;
  do {
    const page: RequestPage = await socket.call<RequestPage>("list_requests", {
      status,
      limit: 200,
      brief: true,
      ...(cursor ? { cursor } : {}),
    });
    yield page;
    cursor = page.next_cursor;
  } while (cursor);
}
