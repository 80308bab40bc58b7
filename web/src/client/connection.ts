import type { Level, Shared, ThreadEvent } from "../core/wire.ts";
import { WireError } from "./errors.ts";
import { openSocket, type Socket, UNAUTHORIZED } from "./socket.ts";

export type Link = "connecting" | "online" | "offline" | "signed-out";

/** Something that follows the server: brought up to date on every new connection, then fed with events. */
export interface Follower {
  /** Read what was missed and subscribe; called again after each reconnect and each resync. */
  sync(socket: Socket): Promise<void>;
  /** `level` goes with what comes to the inbox: what the reader may do in its thread. */
  event(event: ThreadEvent, level?: Level): void;
  /** Hear that it has changed. */
  shared?(access: Shared): void;
  /** The server refused the subscription for good, such as a 404. */
  refused(error: WireError): void;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
/** A connection that has died is known after 33 seconds at the latest. */
const PING_MS = 25_000;
const PONG_MS = 8_000;

/**
 * One WebSocket for all that a page follows, made again whenever it is lost.
 *
 * It is only opened while somebody follows something. `changed` hears the state of the link.
 */
export class Connection {
  readonly #followers = new Set<Follower>();
  #socket: Socket | null = null;
  #opening = false;
  #ended = false;
  #pause = FIRST_PAUSE_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;
  link: Link = "connecting";

  constructor(
    private readonly url: string,
    /**
     * Resolves with what to offer beside the protocol when somebody is signed in; rejects with 401 otherwise.
     * `again` says that the server has ended the session that was known.
     */
    private readonly allowed: (again: boolean) => Promise<string[]>,
    private readonly changed: () => void,
  ) {
    addEventListener("online", () => this.#hurry());
    // The server may still be there, as on the same machine: then the next connection says so.
    addEventListener("offline", () => this.#socket?.close());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.#hurry();
    });
    setInterval(() => this.#ping(), PING_MS);
  }

  /** Follow until the returned function is called. */
  follow(follower: Follower): () => void {
    this.#followers.add(follower);
    if (this.#socket) this.sync(follower);
    else void this.open();
    return () => this.#followers.delete(follower);
  }

  /** Bring one follower up to date, at first and after it has seen a gap. */
  sync(follower: Follower): void {
    const socket = this.#socket;
    if (!socket) return;
    follower.sync(socket).catch((error: unknown) => {
      if (error instanceof WireError && error.final) follower.refused(error);
      else if (socket === this.#socket) socket.close();
    });
  }

  say(link: Link): void {
    if (this.link === link) return;
    this.link = link;
    this.changed();
  }

  /** Connect, unless there is a connection, or one on its way, or nobody to follow for. */
  async open(): Promise<void> {
    if (this.#opening || this.#socket || this.#followers.size === 0) return;
    this.#opening = true;
    try {
      const offered = await this.allowed(this.#ended);
      this.#ended = false;
      this.#socket = await openSocket(
        this.url,
        offered,
        (frame) => this.#hear(frame),
        (code) => this.#lost(code),
      );
      this.#pause = FIRST_PAUSE_MS;
      this.say("online");
      this.#followers.forEach(this.sync, this);
    } catch (error) {
      if (error instanceof WireError && error.status === 401) this.say("signed-out");
      else this.#later();
    } finally {
      this.#opening = false;
    }
  }

  /** A thread that is `hidden` now refuses its followers when they ask again. */
  #hear({ event, level, access, resync, hidden }: Record<string, unknown>): void {
    for (const follower of this.#followers) {
      if (event) follower.event(event as ThreadEvent, level as Level);
      if (access) follower.shared?.(access as Shared);
    }
    if (resync || hidden) this.#followers.forEach(this.sync, this);
  }

  #lost(code: number): void {
    this.#socket = null;
    this.#ended = code === UNAUTHORIZED;
    this.#later();
  }

  /** Try again after a pause that doubles, with some chance in it so that not all tabs come at once. */
  #later(): void {
    this.say("offline");
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.open(), this.#pause * (0.5 + Math.random()));
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE_MS);
  }

  #hurry(): void {
    if (this.#socket) this.#ping();
    else {
      clearTimeout(this.#timer);
      void this.open();
    }
  }

  /** A connection that has died without a word is found by a ping without an answer. */
  #ping(): void {
    const socket = this.#socket;
    if (!socket) return;
    const deadline = setTimeout(() => socket.close(), PONG_MS);
    const pong = (): void => clearTimeout(deadline);
    socket.call("ping").then(pong, pong);
  }
}
