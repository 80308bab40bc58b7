import { allFields, nameOf, type OptionValue } from "../../core/form.ts";
import type { Field, Form, Option } from "../../core/generated/wire.ts";
import { isBlank } from "../../core/text.ts";
import { DRAFT_PREFIX, draftKeys, eraseDrafts, type TextStorage } from "../drafttypes.ts";
import { type Draft, EMPTY, type Entry } from "../entries.ts";
import { meaningsOf, withSameMeaning } from "../meaning.ts";

/** Set by "Not on this device". */
const OFF_KEY = "askback.drafts";
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The drafts of one person on this device, by the id of a request or thread, for a day after the last change.
 *
 * Tabs share them, and of each field the last entry counts. A draft is read only when a card appears, so no tab changes
 * what somebody types in another.
 */
export class DraftStorage {
  constructor(
    private readonly storage: TextStorage,
    private readonly person: string,
  ) {
    eraseDrafts(storage, (text) => !(Date.now() - Number(parse(text)?.at) < DAY_MS));
  }

  /** Whether drafts are stored; false after `stop` in any tab. */
  get enabled(): boolean {
    return this.storage.getItem(OFF_KEY) === null;
  }

  read(id: string): unknown {
    return this.enabled ? parse(this.storage.getItem(this.#key(id)))?.draft : undefined;
  }

  /** Store a draft, or erase it if it is undefined. If the disk is full, nothing is stored. */
  write(id: string, draft: unknown): void {
    if (!this.enabled) return;
    try {
      if (draft === undefined) this.forget(id);
      else this.storage.setItem(this.#key(id), JSON.stringify({ at: Date.now(), draft }));
    } catch {
      this.forget(id);
    }
  }

  /** Return the ids that begin with `start`. */
  idsWithPrefix(prefix: string): string[] {
    return draftKeys(this.storage, this.#key(prefix)).map((key) => key.slice(this.#key("").length));
  }

  forget(id: string): void {
    this.storage.removeItem(this.#key(id));
  }

  stop(): void {
    this.storage.setItem(OFF_KEY, "off");
    eraseDrafts(this.storage);
  }

  #key(id: string): string {
    return `${DRAFT_PREFIX}${encodeURIComponent(this.person)}/${id}`;
  }
}

function parse(text: string | null): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "null");
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** An entry as it is stored: with the id of its field, what that was called, and what its choices said. */
type StoredEntry = readonly [id: string, entry: Entry, label: string, meanings?: readonly string[]];

/** Return stored entries with the one of `field` as it is now; without it if it is sensitive, or the initial one. */
export function withEntry(
  stored: unknown,
  form: Form,
  field: Field,
  draft: Draft,
  initial: Draft,
): StoredEntry[] {
  const { id, sensitive } = field;
  const entry = draft.get(id);
  const replacedIds = new Set(
    [field, ...allFields(form).filter((item) => item.sensitive)].map((item) => item.id),
  );
  const entries = (Array.isArray(stored) ? stored : []).filter(
    (item: unknown): item is StoredEntry => Array.isArray(item) && !replacedIds.has(item[0]),
  );
  if (entry && !sensitive && JSON.stringify(entry) !== JSON.stringify(initial.get(id) ?? EMPTY)) {
    const meanings = meaningsOf(form, field, entry);
    const item = [id, entry, nameOf(form, field)] as const;
    entries.push(meanings.length > 0 ? [...item, meanings] : item);
  }
  return entries;
}

/** Return the stored entries with typed text whose fields the form no longer has. */
export function removedEntries(form: Form, stored: unknown): StoredEntry[] {
  const ids = new Set(allFields(form).map(({ id }) => id));
  return (Array.isArray(stored) ? stored : []).filter(
    (item: unknown): item is StoredEntry =>
      Array.isArray(item) &&
      !ids.has(item[0]) &&
      isObject(item[1]) &&
      typeof item[1].text === "string" &&
      !isBlank(item[1].text) &&
      typeof item[2] === "string",
  );
}

/** Return the stored entries of the fields and options that the form has now, or undefined if there are none. */
export function storedEntries(form: Form, draft: unknown): Draft | undefined {
  if (!Array.isArray(draft)) return undefined;
  const fields = new Map(allFields(form).map((field) => [field.id, field]));
  const entries = draft.flatMap((item: unknown): [string, Entry][] => {
    const [id, stored, , meanings] = Array.isArray(item) ? item : [];
    const field = fields.get(id);
    if (!field || field.sensitive || !isObject(stored)) return [];
    const known = Array.isArray(meanings) ? meanings : [];
    return [[field.id, withSameMeaning(form, field, restoredEntry(field, stored), known)]];
  });
  return entries.length > 0 ? new Map(entries) : undefined;
}

function restoredEntry(field: Field, entry: Record<string, unknown>): Entry {
  const { text, chosen, other, on, skipped } = entry;
  const options = "options" in field && field.options_from ? restoredOptions(entry.options) : [];
  const knownValues = "options" in field ? field.options.map(({ value }) => value) : ["yes", "no"];
  const values = [...new Set([...knownValues, ...options.map(({ value }) => value)])];
  return {
    text: typeof text === "string" ? text : "",
    chosen: Array.isArray(chosen) ? values.filter((value) => chosen.includes(value)) : [],
    other: other === true && "options" in field && field.allow_other === true,
    on: on === true,
    ...(skipped === true && field.allow_skip && { skipped }),
    ...(options.length > 0 && { options }),
  };
}

/** The options of a source; the server says whether they can still be chosen. */
const restoredOptions = (options: unknown): Option[] =>
  Array.isArray(options)
    ? options
        .filter(isObject)
        .map(({ value, label }) => ({ value: value as OptionValue, label: String(label) }))
    : [];

/** Return a stored answer that has not arrived and its key, or undefined if there is none. */
export function unsentAnswer(stored: unknown): { readonly key: string; readonly body: object } | undefined {
  const { key, body } = isObject(stored) ? stored : {};
  return typeof key === "string" && isObject(body) ? { key, body } : undefined;
}

/** Whether a value is an object, and neither null nor a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
