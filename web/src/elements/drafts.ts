/** Drafts that stay on this device, and sending again what could not be sent: what the elements know of that part. */

import type { InputRequest } from "../core/generated/wire.ts";
import type { Draft } from "./draft.ts";
import type { Body } from "./events.ts";
import type { Sender } from "./kind.ts";
import type { Say } from "./text.ts";

/** A submission: the action and its body. */
export interface Attempt {
  readonly action: string;
  readonly body: Body;
}

/** Sends an attempt again while its outcome is unknown. */
export interface Retry {
  /** Whether it is still sent again automatically. */
  readonly active: boolean;
  stop(): void;
}

/** Stores what a person types on this device, and sends again what could not be sent. */
export interface DraftStore {
  /** Whether anything is stored; false after `stop`. */
  readonly on: boolean;
  readText(id: string): string;
  writeText(id: string, text: string): void;
  /** Return the stored entries of the fields that the form still has, or undefined if there are none. */
  readDraft(request: InputRequest): Draft | undefined;
  /** Store the entries that differ from the initial ones. */
  writeDraft(request: InputRequest, draft: Draft, initial: Draft): void;
  forget(id: string): void;
  /** "Not on this device": erase everything, and store nothing from now on. */
  stop(): void;
  /** Call `send` again when the connection is back; for a decision only during two minutes. */
  retry(client: Sender, attempt: Attempt, send: () => void, changed: () => void): Retry;
  /** Return one line that describes an attempt. */
  describe(request: InputRequest, attempt: Attempt, say: Say, locale: string): string;
}

/** The part of `localStorage` that drafts need; tests use one of their own. */
export type TextStorage = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

/** The prefix of the storage key of every draft. */
export const DRAFT_PREFIX = "askback.draft/";

/** Erase drafts from this device: all of them at sign-out, or those for which `isOld` is true. */
export function eraseDrafts(
  storage: TextStorage,
  isOld: (text: string | null) => boolean = () => true,
): void {
  const keys = Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? "");
  for (const key of keys.filter((name) => name.startsWith(DRAFT_PREFIX)))
    if (isOld(storage.getItem(key))) storage.removeItem(key);
}
