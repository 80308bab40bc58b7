/** requirement: G4 - a connection that has died is known within 35 seconds. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Connection } from "../../src/client/connection.ts";
import type { Socket } from "../../src/client/socket.ts";

/** A network that can die without a word: nothing arrives, and no `close` event comes either. */
class Network extends EventTarget {
  static sockets: Network[] = [];
  static dead = false;
  static refusing = false;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  closed = false;
  readonly sent: { op: string; thread_id?: string }[] = [];

  constructor() {
    super();
    Network.sockets.push(this);
    queueMicrotask(() => {
      if (Network.refusing) this.onclose?.({ code: 1006 });
      else if (!Network.dead) this.onopen?.();
    });
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text));
    if (!Network.dead)
      queueMicrotask(() => this.onmessage?.({ data: JSON.stringify({ id: JSON.parse(text).id, ok: {} }) }));
  }

  close(): void {
    this.closed = true;
  }
}

let page = new EventTarget();
const follower = { sync: async () => {}, event: () => {}, refused: () => {} };

beforeEach(() => {
  vi.useFakeTimers();
  page = new EventTarget();
  vi.stubGlobal("WebSocket", Network);
  vi.stubGlobal("document", new EventTarget());
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  Network.sockets = [];
  Network.dead = false;
  Network.refusing = false;
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function openConnection(): Promise<Connection> {
  const connection = new Connection(
    "ws://x/v1/ws",
    async () => [],
    () => {},
  );
  connection.follow(follower);
  await vi.advanceTimersByTimeAsync(0);
  expect(connection.link).toBe("online");
  return connection;
}

test("a connection that dies right after a ping is detected after 33 seconds and replaced", async () => {
  const connection = await openConnection();
  await vi.advanceTimersByTimeAsync(25_001);
  Network.dead = true;
  await vi.advanceTimersByTimeAsync(32_000);
  expect(connection.link).toBe("online");
  await vi.advanceTimersByTimeAsync(1_000);
  expect([connection.link, Network.sockets[0]?.closed]).toEqual(["offline", true]);
  Network.dead = false;
  await vi.advanceTimersByTimeAsync(16_000);
  expect([connection.link, Network.sockets.length > 1]).toEqual(["online", true]);
});

test("a living connection stays, however long", async () => {
  const connection = await openConnection();
  await vi.advanceTimersByTimeAsync(600_000);
  expect([connection.link, Network.sockets.length]).toEqual(["online", 1]);
});

test("`offline` closes the connection immediately, and a server that is still reachable is found again", async () => {
  const connection = await openConnection();
  page.dispatchEvent(new Event("offline"));
  expect(connection.link).toBe("offline");
  await vi.advanceTimersByTimeAsync(1_000);
  expect([connection.link, Network.sockets.length]).toEqual(["online", 2]);
});

test("a connection that cannot be made is given up, and tried again", async () => {
  Network.dead = true;
  const connection = new Connection(
    "ws://x/v1/ws",
    async () => [],
    () => {},
  );
  connection.follow(follower);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(connection.link).toBe("offline");
  Network.dead = false;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(connection.link).toBe("online");
});

test("a network that is not ready when the browser says `online` is tried again within a second", async () => {
  const connection = await openConnection();
  Network.refusing = true;
  page.dispatchEvent(new Event("offline"));
  await vi.advanceTimersByTimeAsync(60_000);
  page.dispatchEvent(new Event("online"));
  await vi.advanceTimersByTimeAsync(0);
  Network.refusing = false;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(connection.link).toBe("online");
});

test("the last follower of a thread to go ends its subscription, also while it is still beginning", async () => {
  const connection = await openConnection();
  const newFollower = () => ({
    ...follower,
    thread: "t1",
    sync: (socket: Socket) => socket.call<void>("subscribe"),
  });
  const unsubscribeFrames = () => Network.sockets[0]?.sent.filter(({ op }) => op === "unsubscribe");
  const [first, second] = [connection.follow(newFollower()), connection.follow(newFollower())];
  await vi.advanceTimersByTimeAsync(0);
  first();
  expect(unsubscribeFrames()).toEqual([]);
  second();
  expect(unsubscribeFrames()).toMatchObject([{ thread_id: "t1" }]);
  connection.follow(newFollower())();
  await vi.advanceTimersByTimeAsync(0);
  expect(unsubscribeFrames()?.length).toBe(3);
});

test("a server that accepts connections and refuses them next is asked more and more seldom", async () => {
  const connection = new Connection(
    "ws://x/v1/ws",
    async () => [],
    () => {},
  );
  const refusedSync = async (): Promise<void> => {
    Network.sockets.at(-1)?.onclose?.({ code: 1013 });
    throw new Error("closed");
  };
  connection.follow({ ...follower, sync: refusedSync });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(Network.sockets.length).toBeLessThan(20);
});
