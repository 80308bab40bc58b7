import { WireError } from "../client/errors.ts";
import { newKey } from "../client/key.ts";
import { findServer, type Server } from "./discovery.ts";
import { ConnectionLost, Refused } from "./errors.ts";
import { type Operations, ROUTES } from "./generated/operations.ts";

const TIMEOUT_MS = 15_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
const NO_CONTENT = 204;
/** The server cannot store anything right now, or a proxy cannot reach it. */
const OUTAGE_STATUSES = new Set([502, 503, 504]);

export interface CallOptions {
  /** Ends the call; it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** A call that is repeated with the same key has no further effect. By default a random one. */
  idempotency_key?: string | undefined;
  /** Seconds for which a call is sent again while the server cannot be reached. */
  retry_for?: number | undefined;
}

/** Calls of one server over HTTP, sent again with the same key until there is a reply. */
export class Calls {
  #server: Promise<Server> | undefined;

  constructor(
    private readonly configured: Partial<Server>,
    private readonly retryFor: number,
  ) {}

  /** Run an operation of the table; rejects with `Refused`, `ConnectionLost`, `NoServer` or the signal's reason. */
  async call<O extends keyof Operations>(
    op: O,
    args: Operations[O]["args"],
    body?: Operations[O]["body"],
    { signal, idempotency_key = newKey(), retry_for = this.retryFor }: CallOptions = {},
  ): Promise<Operations[O]["reply"]> {
    signal?.throwIfAborted();
    this.#server ??= findServer(this.configured);
    const { url, token } = await this.#server.catch((error: unknown) => {
      this.#server = undefined; // it may have been started by the next call
      throw error;
    });
    const { method, path, wait } = route(ROUTES[op], args);
    const headers: Record<string, string> = { Authorization: `Bearer ${token}`, "X-Askback-Via": "api" };
    if (method !== "GET") headers["Idempotency-Key"] = idempotency_key;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const init = { method, headers, body: body === undefined ? null : JSON.stringify(body) };
    const deadline = Date.now() + retry_for * 1000;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        return await withTimeout(wait * 1000 + TIMEOUT_MS, signal, async (signal) => {
          const response = await fetch(url + path, { ...init, signal }).catch(() => {
            throw new WireError(0);
          });
          const reply = await response.json().catch(() => null);
          if (!response.ok) throw new Refused(response.status, reply);
          if (reply === null && response.status !== NO_CONTENT) throw new WireError(0); // it broke off
          return reply;
        });
      } catch (error) {
        signal?.throwIfAborted();
        const isOutage =
          error instanceof WireError || (error instanceof Refused && OUTAGE_STATUSES.has(error.status));
        if (!isOutage) throw error;
        const delay = Math.max(pause, error instanceof Refused ? error.retryAfter * 1000 : 0);
        if (Date.now() + delay > deadline) throw error instanceof Refused ? error : new ConnectionLost(url);
        await sleep(delay * (0.75 + Math.random() / 2), signal);
      }
    }
  }
}

/** Put arguments into the path of a route, and those that are not named there into the query. */
function route(text: string, args: Readonly<Record<string, unknown>>) {
  const [method = "", template = ""] = text.split(" ");
  const query = new URLSearchParams();
  const remaining = new Map(Object.entries(args).filter(([, value]) => value !== undefined));
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(remaining.get(name));
    remaining.delete(name);
    return encodeURIComponent(value);
  });
  for (const [name, value] of remaining) query.set(name, String(value));
  return { method, path: remaining.size > 0 ? `${path}?${query}` : path, wait: Number(args.wait ?? 0) };
}

/** The longest time that a timer can measure. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Run `work` with a signal that is aborted with another one, or after this many milliseconds. */
export async function withTimeout<T>(
  ms: number,
  signal: AbortSignal | undefined,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal?.reason);
  const timer = ms <= LONGEST_TIMER_MS ? setTimeout(abort, ms) : undefined;
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort);
  try {
    return await call(controller.signal);
  } finally {
    clearTimeout(timer);
    // The caller's signal may live as long as the process: nothing of a call stays on it.
    signal?.removeEventListener("abort", abort);
  }
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(cancel, ms);
    signal?.addEventListener("abort", cancel);
  });
}
