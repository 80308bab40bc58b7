/** Which requests the inbox shows, and how many each filter has. */

import type { InputRequest } from "../../../core/generated/wire.ts";
import type { GetText } from "../../../elements/text.ts";
import type { Chip } from "../../ui/toolbar.ts";
import { agentOf, detailOf, type KindGroup, kindGroupOf, type Reader, titleOf } from "./words.ts";

export interface Filter {
  /** `all`, `mine`, or one of the kind groups. */
  readonly show: string;
  /** The name of an agent; empty for all. */
  readonly agent: string;
  /** The id of a conversation; empty for all. */
  readonly thread: string;
  /** What is searched for: each word has to be in the row. */
  readonly text: string;
}

const SORTS: readonly KindGroup[] = ["approval", "question", "secret", "action"];

/** What the filters need to know of requests, kept as long as the requests are. */
export class RequestFacts {
  readonly #texts = new WeakMap<InputRequest, string>();
  #mine: ReadonlySet<InputRequest> = new Set();

  constructor(
    private readonly reader: Reader,
    /** The title of a conversation. */
    private readonly titleOf: (thread: string) => string,
  ) {}

  /** Say which requests this person may answer. */
  set mine(requests: readonly InputRequest[]) {
    this.#mine = new Set(requests);
  }

  isMine(request: InputRequest): boolean {
    return this.#mine.has(request);
  }

  /** Everything that a row says, for the search. The title of the conversation may become known later. */
  textOf(request: InputRequest): string {
    const { thread_id, approval } = request;
    let text = this.#texts.get(request);
    if (text === undefined) {
      const words = [
        titleOf(request, this.reader),
        detailOf(request, this.reader),
        agentOf(request),
        thread_id,
      ];
      text = [...words, approval?.tool, approval?.title].join("\n").toLowerCase();
      this.#texts.set(request, text);
    }
    return `${text}\n${this.titleOf(thread_id).toLowerCase()}`;
  }

  /** Return whether a request is among those of one of the filters with a count. */
  isShown(request: InputRequest, show: string): boolean {
    return show === "all" || (show === "mine" ? this.isMine(request) : kindGroupOf(request) === show);
  }
}

/** Return the requests that all filters but `show` leave, in their order. */
export function filterRequests(
  requests: readonly InputRequest[],
  filter: Filter,
  facts: RequestFacts,
): readonly InputRequest[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!filter.agent && !filter.thread && words.length === 0) return requests;
  return requests.filter(
    (request) =>
      (!filter.agent || agentOf(request) === filter.agent) &&
      (!filter.thread || request.thread_id === filter.thread) &&
      (words.length === 0 || words.every((word) => facts.textOf(request).includes(word))),
  );
}

/** Return the filters that have requests, with how many, and the one that is chosen; "For me" only if it leaves some out. */
export function chipsOf(
  requests: readonly InputRequest[],
  selected: string,
  facts: RequestFacts,
  getText: GetText,
): Chip[] {
  return ["all", "mine", ...SORTS].flatMap((id) => {
    const count = requests.filter((request) => facts.isShown(request, id)).length;
    const isDistinct = count > 0 && (id !== "mine" || count < requests.length);
    const isUseful = id === "all" || id === selected || isDistinct;
    return isUseful ? [{ id, label: getText(`inbox.show_${id}`), count }] : [];
  });
}

/** Return the values that requests have of something, each with its count, the most frequent first. */
export function valuesOf(
  requests: readonly InputRequest[],
  read: (request: InputRequest) => string,
  labelOf: (request: InputRequest) => string = read,
): Chip[] {
  const values = new Map<string, { label: string; count: number }>();
  for (const request of requests) {
    const id = read(request);
    const knownValue = values.get(id);
    if (knownValue) knownValue.count += 1;
    else values.set(id, { label: labelOf(request), count: 1 });
  }
  return [...values]
    .map(([id, chip]) => ({ id, ...chip }))
    .sort((a, b) => b.count - a.count || a.label.localeCompare(b.label));
}
