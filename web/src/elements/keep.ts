import type { InputRequest } from "../core/wire.ts";
import type { Draft } from "./draft.ts";
import type { Body } from "./events.ts";
import type { Sender } from "./kind.ts";
import type { Say } from "./text.ts";

/** What is sent again. */
export interface Attempt {
  readonly action: string;
  readonly body: Body;
}

/** Sends an attempt again while its outcome is unknown. */
export interface Repeater {
  /** Whether it is still sent again by itself. */
  readonly active: boolean;
  stop(): void;
}

/** Keeps what a person types on this device, and sends again what could not be sent. */
export interface Keep {
  /** Whether anything is kept; false after `stop`. */
  readonly on: boolean;
  readText(id: string): string;
  writeText(id: string, text: string): void;
  /** What was typed into a form, for the fields that it still has; nothing where nothing is kept. */
  readDraft(request: InputRequest): Draft | undefined;
  /** Keep the entries that differ from those that the form starts with. */
  writeDraft(request: InputRequest, draft: Draft, start: Draft): void;
  forget(id: string): void;
  /** "Not on this device": erase everything, and keep nothing from now on. */
  stop(): void;
  /** Repeat `send` when the link is back; a decision for two minutes only. */
  repeat(client: Sender, attempt: Attempt, send: () => void, changed: () => void): Repeater;
  /** What an attempt says, in one line. */
  describe(request: InputRequest, attempt: Attempt, say: Say, locale: string): string;
}

/** The part, once it is fetched and somebody is signed in; without it nothing is kept. */
export let keep: Keep | undefined;

/** What a browser offers to keep texts in: `localStorage`, or one of a test. */
export type Shelf = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

/** What every key of a draft begins with. */
export const DRAFTS = "askback.draft/";

/** Erase what is kept on this device: all of it, at sign-out, or what `old` is true of. */
export function eraseDrafts(shelf: Shelf, old: (text: string | null) => boolean = () => true): void {
  const keys = Array.from({ length: shelf.length }, (_, at) => shelf.key(at) ?? "");
  for (const key of keys.filter((name) => name.startsWith(DRAFTS)))
    if (old(shelf.getItem(key))) shelf.removeItem(key);
}

let fetched: Promise<void> | undefined;

/** Fetch the part for who is signed in at `client`; nothing to wait for when it is there. It never rejects. */
export function fetchKeep(client: Sender | undefined): Promise<void> | undefined {
  if (keep || !client?.whoami) return undefined;
  fetched ??= begin(client.whoami()).catch(() => {
    fetched = undefined;
  });
  return fetched;
}

async function begin(session: ReturnType<NonNullable<Sender["whoami"]>>): Promise<void> {
  const [part, { principal }] = await Promise.all([import("./keeping/keeping.ts"), session]);
  keep = new part.Keeping(localStorage, principal.user ?? principal.name);
}
