import type { AgentRecord } from "../../../core/generated/wire.ts";
import type { PlaceElement } from "../../place.ts";

/** What the dialogs of the place know of it. */
export interface Host extends PlaceElement {
  readonly agents: readonly AgentRecord[];
  readonly isAdmin: boolean;
  /** Reload the rules. */
  load(): Promise<void>;
}
