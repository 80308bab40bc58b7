import type { SecretScope } from "../../core/generated/wire.ts";
import type { Host } from "../kind.ts";

/** The state of the input of one secret, without its value. */
export interface Slot {
  /** Whether the saved value is to be used. */
  readonly isSaved: boolean;
  /** Whether it can be read while it is typed. */
  readonly isRevealed: boolean;
  /** Whether there is white space at one of its ends. */
  readonly isPadded: boolean;
  /** Its size, once a text of several lines was filled in and left. */
  readonly foldedSize: { readonly lines: number; readonly characters: number } | null;
}

/** The state and the actions that a card for secrets is drawn with. */
export interface SecretContext {
  readonly host: Host;
  readonly scope: SecretScope;
  /** Whether the saved values are used for all names: nothing is typed. */
  readonly isReused: boolean;
  slotOf(name: string): Slot;
  /** Apply a change to one secret, at least to what is typed. */
  change(name: string, patch?: Partial<Slot>): void;
  choose(scope: SecretScope): void;
  submit(): void;
  dismiss(): void;
}

export const EMPTY_SLOT: Slot = { isSaved: false, isRevealed: false, isPadded: false, foldedSize: null };

/** The id of the input of a name, which has none but letters, digits and underscores. */
export const uidOf = (name: string): string => `s-${name}`;

/** The path of a name in the body. */
export const pathOf = (name: string): string => `secrets.${name}`;
