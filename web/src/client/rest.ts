import type { Actor } from "../core/wire.ts";
import { WireError } from "./errors.ts";
import { readHalf } from "./half.ts";

export interface Session {
  principal: Actor & { role: string };
}

const PATIENCE_MS = 15_000;

/** The HTTP half of the client: a session of a cookie and a second half, and calls that carry a key. */
export class Rest {
  #session: Promise<Session> | null = null;
  /** How far this clock is ahead of the server's, in milliseconds. */
  ahead = 0;

  /** `base` is the server's origin, empty for the page's own. */
  constructor(private readonly base: string) {}

  /** Who is signed in; asked once, and again after `forget()`. Rejects with 401 when nobody is. */
  whoami(): Promise<Session> {
    this.#session ??= this.#call<Session>("GET", "/v1/session").catch((error: unknown) => {
      this.#session = null;
      throw error;
    });
    return this.#session;
  }

  forget(): void {
    this.#session = null;
  }

  /** The second half of the session, as it is now: another tab may have signed in again. */
  half(): Promise<string> {
    return this.base ? Promise.resolve("") : readHalf();
  }

  get<T>(path: string): Promise<T> {
    return this.#call<T>("GET", path);
  }

  post<T>(path: string, body: unknown, key?: string): Promise<T> {
    return this.#call<T>("POST", path, body, key);
  }

  /** End the session. */
  async signOut(): Promise<void> {
    await this.#call("DELETE", "/v1/session");
    this.forget();
  }

  async #call<T>(method: string, path: string, body?: unknown, key?: string): Promise<T> {
    const half = await this.half();
    const headers: Record<string, string> = { "Accept-Language": document.documentElement.lang || "en" };
    if (half) headers["X-Askback-Session"] = half;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (key) headers["Idempotency-Key"] = key;
    const init: RequestInit = {
      method,
      headers,
      credentials: "same-origin",
      signal: AbortSignal.timeout(PATIENCE_MS),
      body: body === undefined ? null : JSON.stringify(body),
    };
    const response = await fetch(this.base + path, init).catch(() => {
      throw new WireError(0);
    });
    this.ahead = Date.now() - (Date.parse(response.headers.get("Date") ?? "") || Date.now());
    const answer: unknown = await response.json().catch(() => null);
    if (!response.ok) throw new WireError(response.status, answer);
    return answer as T;
  }
}
