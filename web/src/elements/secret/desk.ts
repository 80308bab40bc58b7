import type { SecretScope } from "../../core/secret.ts";
import type { Host } from "../kind.ts";

/** What is known about the value of one name, without the value. */
export interface Slot {
  /** Whether the saved value is to be used. */
  readonly saved: boolean;
  /** Whether it can be read while it is typed. */
  readonly seen: boolean;
  /** Whether there is white space at one of its ends. */
  readonly padded: boolean;
  /** Its size, once a text of several lines was filled in and left. */
  readonly folded: { readonly lines: number; readonly characters: number } | null;
}

/** What the drawing of a request for secrets needs: what was chosen, and what can be done. */
export interface Desk {
  readonly host: Host;
  readonly scope: SecretScope;
  /** Whether the saved values are used for all names: nothing is typed. */
  readonly reuses: boolean;
  slotOf(name: string): Slot;
  /** Something about a name has changed, at least what is typed. */
  change(name: string, patch?: Partial<Slot>): void;
  choose(scope: SecretScope): void;
  submit(): void;
  dismiss(): void;
}

export const NOTHING: Slot = { saved: false, seen: false, padded: false, folded: null };

/** The id of the input of a name, which has none but letters, digits and underscores. */
export const uidOf = (name: string): string => `s-${name}`;

/** The place of a name in what is sent. */
export const pathOf = (name: string): string => `secrets.${name}`;
