import { WireError } from "../../client/errors.ts";
import type { OptionPage, SourceOption } from "../../core/generated/wire.ts";
import type { Sender } from "../kind.ts";

/** After this many milliseconds without another letter the source is searched. */
const PAUSE_MS = 250;

/** What is shown of a source, and how it was found. */
export interface SearchResult {
  readonly text: string;
  /** The options that the person went into, the outermost first. */
  readonly path: readonly SourceOption[];
  readonly options: readonly SourceOption[];
  readonly cursor: string | undefined;
  readonly state: "loading" | "ready" | "failed";
}

/** The search of one field; `changed` is called when there is something else to draw. */
export class Search {
  result: SearchResult = { text: "", path: [], options: [], cursor: undefined, state: "loading" };
  #loadCount = 0;
  #timer: number | undefined;

  constructor(
    private readonly client: Sender | undefined,
    private readonly request: string,
    private readonly field: string,
    private readonly changed: () => void,
  ) {
    void this.#load();
  }

  /** Search once the person pauses. */
  type(text: string): void {
    this.#set({ text });
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.#load(), PAUSE_MS);
  }

  /** Show what is below the last option of a path. */
  search(path: readonly SourceOption[]): void {
    this.#set({ path, text: "", options: [] });
    void this.#load();
  }

  retry(): void {
    void this.#load();
  }

  loadMore(): void {
    void this.#load(this.result.cursor);
  }

  #set(part: Partial<SearchResult>): void {
    this.result = { ...this.result, ...part };
    this.changed();
  }

  /** Only the newest of several searches is shown. */
  async #load(cursor?: string): Promise<void> {
    clearTimeout(this.#timer);
    this.#loadCount += 1;
    const loadNumber = this.#loadCount;
    this.#set({ state: "loading" });
    const { text, path } = this.result;
    const query = new URLSearchParams({ field: this.field, q: text.trim().slice(0, 200) });
    const parentValue = path.at(-1);
    if (parentValue) query.set("parent", String(parentValue.value));
    if (cursor) query.set("cursor", cursor);
    const result = await this.#read(`/v1/requests/${encodeURIComponent(this.request)}/options?${query}`);
    if (loadNumber !== this.#loadCount) return;
    if (!result) this.#set({ state: "failed", options: cursor ? this.result.options : [] });
    else {
      const options = cursor ? [...this.result.options, ...result.options] : result.options;
      this.#set({ state: "ready", options, cursor: result.next_cursor ?? undefined });
    }
  }

  async #read(path: string): Promise<OptionPage | undefined> {
    try {
      return await this.client?.get?.<OptionPage>(path);
    } catch (error) {
      if (error instanceof WireError) return undefined;
      throw error;
    }
  }
}
