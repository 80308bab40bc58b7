import { applyInboxEvent, EMPTY_INBOX, type Inbox, learn, waiting } from "../core/inbox.ts";
import { adoptSnapshot, applyEvent, emptyThread, hasGap, type Transcript } from "../core/transcript.ts";
import type { InputRequest, ThreadEvent, ThreadSnapshot } from "../core/types.ts";
import { Connection, type Follower, type Link } from "./connection.ts";
import { WireError } from "./errors.ts";
import { Rest, type Session } from "./rest.ts";
import type { Socket } from "./socket.ts";

interface Page {
  requests: InputRequest[];
  next_cursor: string | null;
}

/** The state of the link has changed; `client.link` is the new one. */
export class LinkEvent extends Event {
  static readonly type = "link";
  constructor(readonly link: Link) {
    super(LinkEvent.type);
  }
}

const encode = encodeURIComponent;

/**
 * The browser's side of the wire: answers over HTTP, everything live over one WebSocket.
 *
 * Fires `link` when the connection comes, goes, or nobody is signed in.
 */
export class Client extends EventTarget {
  private static page: Client | undefined;
  private readonly rest: Rest;
  private readonly connection: Connection;

  /** `origin` is the server's; the page's own unless given. */
  constructor(origin = location.origin) {
    super();
    this.rest = new Rest(origin === location.origin ? "" : origin);
    this.connection = new Connection(
      `${origin.replace(/^http/, "ws")}/v1/ws`,
      () => this.rest.whoami(),
      (link) => this.dispatchEvent(new LinkEvent(link)),
    );
  }

  /** The client that all elements of a page share when they are given none. */
  static get shared(): Client {
    Client.page ??= new Client();
    return Client.page;
  }

  get link(): Link {
    return this.connection.link;
  }

  whoami(): Promise<Session> {
    return this.rest.whoami();
  }

  signOut(): Promise<void> {
    return this.rest.signOut();
  }

  /** Answer or decline; the same key may be sent again and settles once. */
  async send(id: string, action: "answer" | "decline", body: unknown, key: string): Promise<InputRequest> {
    return this.watched(this.rest.post<InputRequest>(`/v1/requests/${encode(id)}/${action}`, body, key));
  }

  /** Write a message into a thread. */
  async say(thread: string, text: string, key: string): Promise<void> {
    const content = [{ type: "text", text }];
    await this.watched(this.rest.post(`/v1/threads/${encode(thread)}/messages`, { content }, key));
  }

  /** Follow a conversation; `show` hears every new state of it, `gone` that there is none for this person. */
  followThread(id: string, show: (thread: Transcript) => void, gone: () => void): () => void {
    let thread: Transcript | null = null;
    let reading = false;
    const put = (next: Transcript): void => {
      if (next !== thread) show(next);
      thread = next;
    };
    const follower: Follower = {
      async sync(socket) {
        reading = true;
        try {
          if (!thread || hasGap(thread))
            put(
              adoptSnapshot(
                thread ?? emptyThread(id),
                await socket.call<ThreadSnapshot>("thread", { thread_id: id }),
              ),
            );
          await socket.call("subscribe", { thread_id: id, cursor: thread?.seq ?? 0 });
        } finally {
          reading = false;
        }
      },
      event: (event) => {
        if (event.thread_id !== id || !thread) return;
        put(applyEvent(thread, event));
        if (hasGap(thread) && !reading) this.connection.resync(follower);
      },
      refused: gone,
    };
    return this.connection.follow(follower);
  }

  /** Follow everything that waits for this person, newest first. */
  followInbox(show: (requests: InputRequest[]) => void): () => void {
    let inbox: Inbox = EMPTY_INBOX;
    return this.connection.follow({
      async sync(socket) {
        const before = new Set(waiting(inbox).map((request) => request.id));
        await socket.call("subscribe", { inbox: true });
        const listed = await pending(socket);
        // What waited before and is not listed has ended while nobody listened.
        for (const request of listed) before.delete(request.id);
        const known = new Map([...inbox.known].filter(([id]) => !before.has(id)));
        inbox = listed.reduce(learn, { ...inbox, known });
        show(waiting(inbox));
      },
      event: (event) => {
        if (!("request" in event)) return;
        inbox = applyInboxEvent(inbox, event);
        show(waiting(inbox));
      },
      refused: () => {},
    });
  }

  /** Follow one request wherever it is; `gone` when there is none such for this person. */
  followRequest(id: string, show: (request: InputRequest) => void, gone: () => void): () => void {
    const seen = (event: ThreadEvent): void => {
      if ("request" in event && event.request.id === id) show(event.request);
    };
    return this.connection.follow({
      async sync(socket) {
        const { thread_id } = await socket.call<InputRequest>("get", { request_id: id });
        await socket.call("subscribe", { thread_id });
        show(await socket.call<InputRequest>("get", { request_id: id }));
      },
      event: seen,
      refused: gone,
    });
  }

  /** A 401 on any call means that the session is over. */
  private async watched<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } catch (error) {
      if (error instanceof WireError && error.status === 401) {
        this.rest.forget();
        this.dispatchEvent(new LinkEvent("signed-out"));
      }
      throw error;
    }
  }
}

async function pending(socket: Socket): Promise<InputRequest[]> {
  const found: InputRequest[] = [];
  let cursor: string | null = null;
  do {
    const page: Page = await socket.call<Page>("list", {
      status: "pending",
      limit: 200,
      ...(cursor ? { cursor } : {}),
    });
    found.push(...page.requests);
    cursor = page.next_cursor;
  } while (cursor);
  return found;
}
