/** Drafts that stay on this device, and sending again what could not be sent: what the elements know of that part. */

import type { Field, InputRequest } from "../core/generated/wire.ts";
import type { Draft } from "./entries.ts";
import type { Action, Body } from "./events.ts";
import type { Sender } from "./kind.ts";
import type { GetText } from "./text.ts";

/** A submission: the action, its body, and the Idempotency-Key with which it is sent. */
export interface Attempt {
  readonly action: Action;
  readonly body: Body;
  readonly key: string;
}

/** Text that was typed in a field which the form no longer has. */
export interface RemovedText {
  readonly label: string;
  /** Dots in place of a sensitive value. */
  readonly text: string;
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
  readonly enabled: boolean;
  readText(id: string): string;
  writeText(id: string, text: string): void;
  /** Return the stored entries of the fields that the form still has, or undefined if there are none. */
  readDraft(request: InputRequest): Draft | undefined;
  /** Return the stored texts of the fields that the form no longer has. */
  readRemoved(request: InputRequest): readonly RemovedText[];
  /**
   * Store the entry of a field if it differs from the initial one, and leave what is stored of other fields: another
   * tab may have written it.
   */
  writeDraft(request: InputRequest, field: Field, draft: Draft, initial: Draft): void;
  /**
   * Store an answer until it has arrived, or erase it: if the page is left meanwhile, the next one sends it. What is
   * sensitive, and what is no form, is not stored.
   */
  writeUnsent(request: InputRequest, attempt?: Attempt): void;
  /** Erase what is stored of a request or thread. */
  forget(id: string): void;
  /** "Not on this device": erase everything, and store nothing from now on. */
  stop(): void;
  /** Call `send` again when the connection is back; for a decision only during two minutes. */
  retry(client: Sender, attempt: Attempt, send: () => void, changed: () => void): Retry;
  /** Return what could not be sent, and whether it is sent again, in words. */
  explain(
    request: InputRequest,
    attempt: Attempt,
    retry: Retry | undefined,
    getText: GetText,
    locale: string,
  ): readonly string[];
}

/** The part of `localStorage` that drafts need; tests use one of their own. */
export type TextStorage = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

/** The prefix of the storage key of every draft. */
export const DRAFT_PREFIX = "askback.draft/";

/** Where the edited call of an approval is stored, before its id. */
export const EDITED_PREFIX = "edited/";

/** Return the storage keys of all drafts on this device, or of those that begin with `prefix`. */
export const draftKeys = (storage: TextStorage, prefix = DRAFT_PREFIX): string[] =>
  Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? "").filter((key) =>
    key.startsWith(prefix),
  );

/** Erase drafts from this device: all of them at sign-out, or those for which `isOld` is true. */
export function eraseDrafts(
  storage: TextStorage,
  isOld: (text: string | null) => boolean = () => true,
): void {
  for (const key of draftKeys(storage)) if (isOld(storage.getItem(key))) storage.removeItem(key);
}
