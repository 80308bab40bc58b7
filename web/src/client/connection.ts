import type { Level, LevelChange, PersonalChange, ThreadEvent } from "../core/generated/wire.ts";
import { WireError } from "./errors.ts";
import { openSocket, type Socket, UNAUTHORIZED } from "./socket.ts";

export type Link = "connecting" | "online" | "offline" | "signed-out";

/** That somebody else answers a request, or has stopped. */
export interface Activity {
  readonly request_id: string;
  readonly by: { readonly id: string; readonly name: string };
  readonly active: boolean;
}

/** Follows a part of the server's state: it is synchronized on every new connection, then receives events. */
export interface Follower {
  /** The thread that it subscribes to. */
  readonly thread?: string | undefined;
  /** Load the current state and subscribe; called again after each reconnect and each resync. */
  sync(socket: Socket): Promise<void>;
  /** `level` is the reader's level in the thread, for events of the inbox. */
  event(event: ThreadEvent, level?: Level): void;
  /** The reader's level in a thread has changed. */
  shared?(access: LevelChange): void;
  /** A personal list, such as the reminders, has to be read again. */
  changed?(change: PersonalChange): void;
  /** Another person has started or stopped answering a request. */
  answering?(activity: Activity): void;
  /** The server refused the subscription for good, such as a 404. */
  refused(error: WireError): void;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
/** A dead connection is detected within 33 seconds. */
const PING_MS = 25_000;
const PONG_MS = 8_000;

/**
 * One WebSocket for all followers of a page; it reconnects whenever it is lost.
 *
 * It is only opened while there are followers. `changed` is called when `link` changes.
 */
export class Connection {
  readonly #followers = new Set<Follower>();
  #socket: Socket | null = null;
  #opening = false;
  #isRefused = false;
  #pause = FIRST_PAUSE_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;
  link: Link = "connecting";

  constructor(
    private readonly url: string,
    /**
     * Resolves with the subprotocols to offer. `again` is true after the server has refused the session: then it rejects
     * with 401 if nobody is signed in.
     */
    private readonly credentials: (isRetry: boolean) => Promise<string[]>,
    private readonly onChange: () => void,
  ) {
    const reconnect = (): void => this.#reconnectNow();
    addEventListener("online", reconnect);
    // The server may still be reachable, for example on the same machine: the next connection shows that.
    addEventListener("offline", () => this.#socket?.close());
    document.addEventListener("visibilitychange", reconnect);
    setInterval(() => this.#ping(), PING_MS);
  }

  /** Follow until the returned function is called. */
  follow(follower: Follower): () => void {
    this.#followers.add(follower);
    if (this.#socket) this.sync(follower);
    else void this.open();
    return () => {
      this.#followers.delete(follower);
      this.#leave(follower);
    };
  }

  /** End the subscription of a follower that has gone, unless another one needs it. */
  #leave({ thread }: Follower): void {
    for (const other of this.#followers) if (other.thread === thread) return;
    if (thread) this.#socket?.call("unsubscribe", { thread_id: thread }).catch(() => {});
  }

  /** Synchronize one follower, at first and after it has missed events. */
  sync(follower: Follower): void {
    const socket = this.#socket;
    if (!socket) return;
    follower.sync(socket).then(
      () => {
        this.#pause = FIRST_PAUSE_MS; // here: the server accepts connections that it refuses next
        if (!this.#followers.has(follower)) this.#leave(follower);
      },
      (error: unknown) => {
        if (error instanceof WireError && error.final) follower.refused(error);
        else if (socket === this.#socket) socket.close();
      },
    );
  }

  setLink(link: Link): void {
    if (this.link === link) return;
    this.link = link;
    this.onChange();
  }

  /** Connect, unless there is a connection, one is being opened, or there are no followers. */
  async open(): Promise<void> {
    if (this.#opening || this.#socket || this.#followers.size === 0) return;
    this.#opening = true;
    try {
      const protocols = await this.credentials(this.#isRefused);
      this.#isRefused = false;
      this.#socket = await openSocket(
        this.url,
        protocols,
        (frame) => this.#onFrame(frame),
        (code) => this.#onClose(code),
      );
      this.setLink("online");
      this.#followers.forEach(this.sync, this);
    } catch (error) {
      if (error instanceof WireError && error.status === 401) this.setLink("signed-out");
      else this.#reconnectLater();
    } finally {
      this.#opening = false;
    }
  }

  /** A `hidden` thread refuses its followers when they synchronize. */
  #onFrame({ event, level, access, changed, answering, resync, hidden }: Record<string, unknown>): void {
    for (const follower of this.#followers) {
      if (event) follower.event(event as ThreadEvent, level as Level);
      if (access) follower.shared?.(access as LevelChange);
      if (changed) follower.changed?.(changed as PersonalChange);
      if (answering) follower.answering?.(answering as Activity);
    }
    if (resync || hidden) this.#followers.forEach(this.sync, this);
  }

  #onClose(code: number): void {
    this.#socket = null;
    this.#isRefused = code === UNAUTHORIZED;
    if (!this.#isRefused || this.link !== "signed-out") this.#reconnectLater();
  }

  /** Reconnect after a pause that doubles and is randomized, so that not all tabs reconnect at the same moment. */
  #reconnectLater(): void {
    this.setLink("offline");
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.open(), this.#pause * (0.5 + Math.random()));
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE_MS);
  }

  #reconnectNow(): void {
    clearTimeout(this.#timer);
    // The network is often not ready yet: try again soon.
    this.#pause = FIRST_PAUSE_MS;
    this.#ping();
    void this.open();
  }

  /** Close a connection that does not answer a ping. */
  #ping(): void {
    const socket = this.#socket;
    if (!socket) return;
    const deadline = setTimeout(() => socket.close(), PONG_MS);
    const pong = (): void => clearTimeout(deadline);
    socket.call("ping").then(pong, pong);
  }
}
