import type { CurrentSession, InputRequest } from "../core/generated/wire.ts";
import { Connection, type Follower, type Link } from "./connection.ts";
import { Rest } from "./rest.ts";

/**
 * The client of a page: it sends over HTTP, and follows over one WebSocket.
 *
 * Fires `link` when the state of the connection changes: see `client.link`.
 */
export class Client extends EventTarget {
  static #page: Client | undefined;
  /** Whether the page says when the connection is lost, so that its elements need not. */
  showsLink = false;
  readonly #rest: Rest;
  readonly #connection: Connection;

  /** `origin` is that of the server; by default that of the page. */
  constructor(origin = location.origin) {
    super();
    this.#rest = new Rest(origin === location.origin ? "" : origin, () =>
      this.#connection.setLink("signed-out"),
    );
    this.#connection = new Connection(
      `${origin.replace(/^http/, "ws")}/v1/ws`,
      async (isRetry) => {
        if (isRetry) {
          this.#rest.forget();
          await this.#rest.whoami();
        }
        const key = await this.#rest.sessionKey();
        return key ? [`session.${key}`] : [];
      },
      () => this.dispatchEvent(new Event("link")),
    );
  }

  /** The default client of all elements of a page. */
  static get shared(): Client {
    Client.#page ??= new Client();
    return Client.#page;
  }

  /** The time by the server's clock, in milliseconds. */
  get now(): number {
    return Date.now() - this.#rest.clockOffset;
  }

  get link(): Link {
    return this.#connection.link;
  }

  whoami(): Promise<CurrentSession> {
    return this.#rest.whoami();
  }

  sessionKey(): Promise<string> {
    return this.#rest.sessionKey();
  }

  /** End the session. */
  async signOut(): Promise<void> {
    await this.change("DELETE", "/v1/session");
    this.#rest.forget();
  }

  /** Answer or decline; a call that is repeated with the same key has no further effect. */
  send(id: string, action: "answer" | "decline", body: unknown, key: string): Promise<InputRequest> {
    return this.post(`/v1/requests/${encodeURIComponent(id)}/${action}`, body, key);
  }

  /** Follow until the returned function is called. */
  follow(follower: Follower): () => void {
    return this.#connection.follow(follower);
  }

  /** Synchronize a follower again after it has missed events. */
  resync(follower: Follower): void {
    this.#connection.sync(follower);
  }

  get<T>(path: string): Promise<T> {
    return this.#rest.call<T>("GET", path);
  }

  /** Change or delete what is at a path. */
  change<T>(method: "PUT" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<T> {
    return this.#rest.call<T>(method, path, body);
  }

  /** Call the server; success reconnects the WebSocket. */
  async post<T>(path: string, body: unknown, key: string): Promise<T> {
    const reply = await this.#rest.call<T>("POST", path, body, key);
    void this.#connection.open();
    return reply;
  }
}
