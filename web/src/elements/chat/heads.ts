/** The authors in a conversation, and the start of each group of messages. */

import { isSame, type Person } from "../../core/audience.ts";
import type { Entry } from "../../core/transcript.ts";

/** The time after which the name and the time are shown again. */
const GROUP_MS = 5 * 60_000;

/** The author and the time of an entry. `part` is the name that the agent uses for itself, such as that of a sub-agent. */
export interface EntryHeader {
  readonly name: string | undefined;
  readonly part: string | undefined;
  readonly at: string;
  readonly isAgent: boolean;
  /** Whether the reader wrote it. */
  readonly isOwn: boolean;
  /** Whether the one before is of somebody else, or older. */
  readonly isFirst: boolean;
}

/** Return the head of each entry, by its id. */
export function entryHeaders(
  entries: readonly Entry[],
  me: Person | undefined,
): ReadonlyMap<string, EntryHeader> {
  const heads = new Map<string, EntryHeader>();
  let previousHeader: EntryHeader | undefined;
  for (const entry of entries) {
    const header = entryHeader(entry, me);
    const continues =
      previousHeader &&
      previousHeader.isAgent === header.isAgent &&
      previousHeader.name === header.name &&
      previousHeader.part === header.part;
    const isFirst =
      !continues || Date.parse(header.at) - Date.parse(previousHeader?.at ?? header.at) > GROUP_MS;
    previousHeader = { ...header, isFirst };
    heads.set(entry.id, previousHeader);
  }
  return heads;
}

function entryHeader(entry: Entry, me: Person | undefined): Omit<EntryHeader, "isFirst"> {
  if (entry.type === "request") {
    const { requester, agent, created_at: at } = entry.request;
    return { name: requester?.name, part: agent?.name ?? undefined, at, isAgent: true, isOwn: false };
  }
  const { author, agent, role, at } = entry.message;
  const isAgent = role === "agent";
  const isOwn = !isAgent && (!me || !author || isSame(me, author));
  return { name: author?.name, part: agent?.name ?? undefined, at, isAgent, isOwn };
}
