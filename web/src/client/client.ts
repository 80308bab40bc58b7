import type { InputRequest } from "../core/wire.ts";
import { Connection, type Follower, type Link } from "./connection.ts";
import { WireError } from "./errors.ts";
import { Rest, type Session } from "./rest.ts";

const encode = encodeURIComponent;

/**
 * The browser's side of the wire: answers over HTTP, everything live over one WebSocket.
 *
 * Fires `link` when the connection comes, goes, or nobody is signed in: see `client.link`.
 */
export class Client extends EventTarget {
  static #page: Client | undefined;
  readonly #rest: Rest;
  readonly #connection: Connection;

  /** `origin` is the server's; the page's own unless given. */
  constructor(origin = location.origin) {
    super();
    this.#rest = new Rest(origin === location.origin ? "" : origin);
    this.#connection = new Connection(
      `${origin.replace(/^http/, "ws")}/v1/ws`,
      async (again) => {
        if (again) this.#rest.forget();
        await this.#rest.whoami();
        const half = await this.#rest.half();
        return half ? [`session.${half}`] : [];
      },
      () => this.dispatchEvent(new Event("link")),
    );
  }

  /** The client that all elements of a page share when they are given none. */
  static get shared(): Client {
    Client.#page ??= new Client();
    return Client.#page;
  }

  /** The time by the server's clock, in milliseconds. */
  get now(): number {
    return Date.now() - this.#rest.ahead;
  }

  get link(): Link {
    return this.#connection.link;
  }

  whoami(): Promise<Session> {
    return this.#rest.whoami();
  }

  signOut(): Promise<void> {
    return this.#rest.signOut();
  }

  /** Answer or decline; the same key may be sent again and settles once. */
  send(id: string, action: "answer" | "decline", body: unknown, key: string): Promise<InputRequest> {
    return this.post(`/v1/requests/${encode(id)}/${action}`, body, key);
  }

  /** Write a message into a thread; `why` says why it answers nothing, where it was to. */
  say(thread: string, text: string, key: string): Promise<{ why?: string }> {
    const content = [{ type: "text", text }];
    return this.post(`/v1/threads/${encode(thread)}/messages`, { content }, key);
  }

  /** Follow until the returned function is called. */
  follow(follower: Follower): () => void {
    return this.#connection.follow(follower);
  }

  /** Bring a follower up to date again, after it has seen a gap. */
  resync(follower: Follower): void {
    this.#connection.sync(follower);
  }

  get<T>(path: string): Promise<T> {
    return this.#rest.get<T>(path);
  }

  /** Call the server; one that works says that the server is there again, a 401 that the session is over. */
  async post<T>(path: string, body: unknown, key: string): Promise<T> {
    try {
      const reply = await this.#rest.post<T>(path, body, key);
      void this.#connection.open();
      return reply;
    } catch (error) {
      if (error instanceof WireError && error.status === 401) {
        this.#rest.forget();
        this.#connection.say("signed-out");
      }
      throw error;
    }
  }
}
