import type { Client } from "../client/client.ts";
import { followInbox } from "../client/follow-inbox.ts";
import { newKey } from "../client/key.ts";
import { type Person, readOnlyReason } from "../core/audience.ts";
import type { BatchBody, BatchResults, InputRequest, ThreadPage } from "../core/generated/wire.ts";
import { type Inbox, waitingRequests } from "../core/inbox.ts";
import type { GetText } from "../elements/text.ts";
import { PersonalStore } from "./personal.ts";
import { titleOrId } from "./titles.ts";

/** The most requests of one batch, as the server limits it. */
const BATCH_SIZE = 200;
/** The delay before a change is shown; several changes in that time are shown together. */
const DRAW_DELAY_MS = 30;
/** Between two looks for the titles of conversations. */
const TITLES_MS = 2_000;
/** Refusals that leave nothing to do: it was settled or has expired. */
const ENDED_CODES = ["already_settled", "expired"];

/** The open requests of this person for the whole application, newest first; fires `change`. */
export class InboxStore extends EventTarget {
  /** Undefined until they are known. */
  requests: readonly InputRequest[] | undefined;
  /** Those that this person may answer now. */
  mine: readonly InputRequest[] = [];
  /** Those that this person has put aside until a time. */
  remindedRequests: readonly InputRequest[] = [];
  readonly personal: PersonalStore;
  /** Whether there are more that are not read yet. */
  loading = true;
  me: Person | undefined;
  /** Whether `me` is known, or could not be read: what is listed depends on it. */
  #isPersonKnown = false;
  #inbox: Inbox | undefined;
  /** What waits for Undo is not shown as open. */
  #hiddenIds: ReadonlySet<string> = new Set();
  #titles: ReadonlyMap<string, string> = new Map();
  #drawTimer: ReturnType<typeof setTimeout> | undefined;
  #titleTimer: ReturnType<typeof setTimeout> | undefined;
  /** The conversations whose titles were looked for. */
  readonly #titledThreads = new Set<string>();

  constructor(private readonly client: Client) {
    super();
    followInbox(client, (inbox, loading) => {
      this.#inbox = inbox;
      this.loading = loading;
      if (this.requests) this.#drawTimer ??= setTimeout(() => this.#show(), DRAW_DELAY_MS);
      else this.#show();
    });
    // After the requests, which are waited for.
    this.personal = new PersonalStore(client);
    this.personal.addEventListener("change", () => this.#show());
    client
      .whoami()
      .then(
        ({ principal }) => {
          this.me = principal;
        },
        () => {},
      )
      .finally(() => {
        this.#isPersonKnown = true;
        this.#show();
      });
  }

  /** Return the title of a conversation or its readable id; an empty text while it may have a title that is not read. */
  titleOf(thread: string): string {
    return this.#titledThreads.has(thread) ? titleOrId(thread, this.#titles.get(thread)) : "";
  }

  /** Return what the conversation of a request is called. */
  conversationOf({ thread_id, requester }: InputRequest, getText: GetText): string {
    const title = titleOrId(thread_id, this.#titles.get(thread_id));
    return title || getText("conversation_with", { name: requester?.name ?? "?" });
  }

  /** Take requests out of the list until the returned function is called. */
  hide(requests: readonly InputRequest[]): () => void {
    const ids = requests.map(({ id }) => id);
    this.#hiddenIds = new Set([...this.#hiddenIds, ...ids]);
    this.#show();
    return () => {
      this.#hiddenIds = new Set([...this.#hiddenIds].filter((id) => !ids.includes(id)));
      this.#show();
    };
  }

  /** Decide about several requests; returns how many could not be decided, and how many had already ended. */
  async decide(
    requests: readonly InputRequest[],
    body: Omit<BatchBody, "requests">,
  ): Promise<{ undecidedCount: number; endedCount: number }> {
    let undecidedCount = 0;
    let endedCount = 0;
    for (let start = 0; start < requests.length; start += BATCH_SIZE) {
      const batch = requests.slice(start, start + BATCH_SIZE);
      const items = batch.map(({ id, revision, approval }) => ({ id, revision, digest: approval?.digest }));
      try {
        const { results } = await this.client.post<BatchResults>(
          "/v1/requests/batch",
          { ...body, requests: items },
          newKey(),
        );
        const failed = results.filter(({ status }) => status !== 200);
        const endedReplies = failed.filter(({ error }) => ENDED_CODES.includes(error?.code ?? ""));
        endedCount += endedReplies.length;
        undecidedCount += failed.length - endedReplies.length;
      } catch {
        undecidedCount += batch.length;
      }
    }
    return { undecidedCount, endedCount };
  }

  #show(): void {
    clearTimeout(this.#drawTimer);
    this.#drawTimer = undefined;
    if (this.#inbox && this.#isPersonKnown) {
      const open = waitingRequests(this.#inbox).filter(({ id }) => !this.#hiddenIds.has(id));
      this.requests = open.filter(({ id }) => !this.personal.isReminded(id));
      this.remindedRequests = open.filter(({ id }) => this.personal.isReminded(id));
      this.mine = this.requests.filter(
        (request) => request.status === "pending" && !readOnlyReason(request, this.me),
      );
      if (this.requests.some(({ thread_id }) => !this.#titledThreads.has(thread_id)))
        this.#titleTimer ??= setTimeout(
          () => void this.#loadTitles(),
          this.#titledThreads.size > 0 ? TITLES_MS : 0,
        );
    }
    this.dispatchEvent(new Event("change"));
  }

  /** Look for the titles of conversations; those of the last 200 that began are enough to be read. */
  async #loadTitles(): Promise<void> {
    const threadIds = (this.requests ?? []).map(({ thread_id }) => thread_id);
    const page = await this.client.get<ThreadPage>(`/v1/threads?limit=${BATCH_SIZE}`).catch(() => undefined);
    this.#titleTimer = undefined;
    if (!page) return; // the next change looks again
    for (const id of threadIds) this.#titledThreads.add(id);
    const titleEntries = page.threads.flatMap(({ id, title }): [string, string][] =>
      title ? [[id, title]] : [],
    );
    this.#titles = new Map([...this.#titles, ...titleEntries]);
    this.dispatchEvent(new Event("change"));
  }
}
