import type { Client } from "../../../client/client.ts";
import type { Conversation, ConversationPage } from "../../../core/generated/wire.ts";
import { needsTexts } from "../../../elements/localtexts.ts";

/** How many one call reads, and at most when the list is reloaded. */
const PAGE = 50;
const MAX_LIMIT = 200;
/** A search continues by itself until it has found this many. */
const MIN_LIMIT = 20;
/** The delay before the list is read again after a change; several changes in that time cause one read. */
const RELOAD_DELAY_MS = 300;

export interface Search {
  readonly q: string;
  readonly archived: boolean;
}

/** The conversations of a person as the server lists them, kept current; `changed` is called with each new state. */
export class ConversationList {
  /** Undefined until they are known. */
  conversations: readonly Conversation[] | undefined;
  cursor: string | null = null;
  failed = false;
  #search: Search = { q: "", archived: false };
  /** The latest reading; an earlier one that answers later is ignored. */
  #readCount = 0;
  #reloadTimer: ReturnType<typeof setTimeout> | undefined;
  #stop: (() => void) | undefined;

  constructor(
    private readonly client: Client,
    private readonly changed: () => void,
  ) {}

  /** Follow what happens until `leave()`. */
  follow(): void {
    let isFirst = true;
    const readSoon = (): void => {
      this.#reloadTimer ??= setTimeout(() => {
        this.#reloadTimer = undefined;
        void this.#read(Math.min(MAX_LIMIT, Math.max(PAGE, this.conversations?.length ?? 0)));
      }, RELOAD_DELAY_MS);
    };
    this.#stop = this.client.follow({
      async sync() {
        // What happened while there was no connection.
        if (!isFirst) readSoon();
        isFirst = false;
      },
      event: (event) => {
        if ("request" in event) readSoon();
      },
      shared: readSoon,
      changed: ({ what }) => {
        if (what === "conversation") readSoon();
      },
      refused: () => {},
    });
  }

  stop(): void {
    this.#stop?.();
    clearTimeout(this.#reloadTimer);
    this.#reloadTimer = undefined;
    this.#readCount += 1;
  }

  /** Look for others. */
  search(search: Search): void {
    this.#search = search;
    this.conversations = undefined;
    void this.#read(PAGE);
  }

  readMore(): void {
    if (this.cursor) void this.#read(PAGE, this.cursor);
  }

  async #read(limit: number, startCursor?: string): Promise<void> {
    this.#readCount += 1;
    const readCount = this.#readCount;
    const earlierItems = startCursor ? (this.conversations ?? []) : [];
    const { q, archived } = this.#search;
    let read: readonly Conversation[] = [];
    let cursor: string | null = startCursor ?? null;
    try {
      do {
        const query = new URLSearchParams({ limit: String(limit) });
        if (q) query.set("q", q);
        if (archived) query.set("archived", "true");
        if (cursor) query.set("cursor", cursor);
        const page: ConversationPage = await this.client.get<ConversationPage>(`/v1/conversations?${query}`);
        if (page.conversations.some(({ request }) => request && needsTexts(request)))
          await import("../../../elements/texts/texts.ts").catch(() => {});
        if (readCount !== this.#readCount) return;
        read = [...read, ...page.conversations];
        cursor = page.next_cursor;
      } while (cursor && read.length < MIN_LIMIT);
      const ids = new Set(read.map(({ id }) => id));
      this.conversations = [...earlierItems.filter(({ id }) => !ids.has(id)), ...read];
      this.cursor = cursor;
      this.failed = false;
    } catch {
      if (readCount !== this.#readCount) return;
      // What is shown stays; the next change reads it again.
      this.failed = !this.conversations;
    }
    this.changed();
  }
}
