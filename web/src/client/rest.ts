import type { CurrentSession } from "../core/generated/wire.ts";
import { WireError } from "./errors.ts";
import { readSessionKey } from "./sessionkey.ts";

const TIMEOUT_MS = 15_000;

/** Calls over HTTP, with the session cookie, the session key and an idempotency key. */
export class Rest {
  #session: Promise<CurrentSession> | null = null;
  /** The session key that calls use, read once. */
  #key: Promise<string> | undefined;
  /** Milliseconds by which the clock of this computer is ahead of the server's. */
  clockOffset = 0;

  /** `base` is the server's origin, empty for the page's own; `ended` is called when nobody is signed in. */
  constructor(
    private readonly base: string,
    private readonly onSessionEnd?: () => void,
  ) {}

  /** Who is signed in; asked once, and again after `forget()`. Rejects with 401 when nobody is. */
  whoami(): Promise<CurrentSession> {
    this.#session ??= this.call<CurrentSession>("GET", "/v1/session").catch((error: unknown) => {
      this.#session = null;
      throw error;
    });
    return this.#session;
  }

  forget(): void {
    this.#session = null;
  }

  /** Read the session key, of a sign-in in another tab as well; calls use it from now on. */
  sessionKey(): Promise<string> {
    this.#key = this.base ? Promise.resolve("") : readSessionKey();
    return this.#key;
  }

  async call<T>(method: string, path: string, body?: unknown, key?: string): Promise<T> {
    const sessionKey = await (this.#key ?? this.sessionKey());
    const headers: Record<string, string> = { "Accept-Language": document.documentElement.lang || "en" };
    if (sessionKey) headers["X-Askback-Session"] = sessionKey;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (key) headers["Idempotency-Key"] = key;
    const init: RequestInit = {
      method,
      headers,
      credentials: "same-origin",
      signal: AbortSignal.timeout(TIMEOUT_MS),
      body: body === undefined ? null : JSON.stringify(body),
    };
    const response = await fetch(this.base + path, init).catch(() => {
      throw new WireError(0);
    });
    if (response.status === 401) {
      // Another tab may have signed in again, which replaced the key.
      if ((await this.sessionKey()) !== sessionKey) return this.call(method, path, body, key);
      this.forget();
      this.onSessionEnd?.();
    }
    this.clockOffset = Date.now() - (Date.parse(response.headers.get("Date") ?? "") || Date.now());
    const answer: unknown = await response.json().catch(() => null);
    if (!response.ok) throw new WireError(response.status, answer);
    return answer as T;
  }
}
