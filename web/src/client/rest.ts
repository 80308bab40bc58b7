import type { Actor } from "../core/wire.ts";
import { WireError } from "./errors.ts";

export interface Session {
  principal: Actor & { role: string };
  csrf: string;
}

const PATIENCE_MS = 15_000;

/** The HTTP half of the client: a cookie session, its CSRF token, and calls that carry a key. */
export class Rest {
  #session: Promise<Session> | null = null;

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

  /** Send `body`; a stale CSRF token is renewed once, with the same key. */
  async post<T>(path: string, body: unknown, key: string): Promise<T> {
    try {
      return await this.#call<T>("POST", path, body, key);
    } catch (error) {
      if (!(error instanceof WireError && error.code === "csrf")) throw error;
      this.forget();
      return this.#call<T>("POST", path, body, key);
    }
  }

  /** End the session. */
  async signOut(): Promise<void> {
    await this.#call("DELETE", "/v1/session");
    this.forget();
  }

  async #call<T>(method: string, path: string, body?: unknown, key?: string): Promise<T> {
    const headers: Record<string, string> = { "Accept-Language": document.documentElement.lang || "en" };
    if (method !== "GET") headers["X-Askback-CSRF"] = (await this.whoami()).csrf;
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
    const answer: unknown = await response.json().catch(() => null);
    if (!response.ok) throw new WireError(response.status, answer);
    return answer as T;
  }
}
