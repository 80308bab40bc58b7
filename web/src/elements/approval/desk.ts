import type { Actor } from "../../core/actor.ts";
import type { Scope } from "../../core/approval.ts";
import type { InputRequest } from "../../core/wire.ts";
import type { Host } from "../kind.ts";
import type { Shown } from "./call.ts";
import type { DenyAll } from "./denyall.ts";
import type { Entered } from "./entered.ts";

/** What is asked once more before it is sent: a scope, to deny for good, or to grant the folder. */
export type Sure = Scope | "never" | "root";
/** A second yes, or what to change about a plan. */
export type Asking = Sure | "changes";

/** What the drawing of an open approval needs: what was entered, and what can be done with it. */
export interface Desk {
  readonly host: Host;
  readonly entered: Entered;
  /** What waits for a second yes, or that it is written what to change about a plan. */
  readonly asking: Asking | null;
  /** How much of the call is shown. */
  readonly shown: Shown;
  /** Whether what approves may be pressed yet. */
  readonly armed: boolean;
  readonly me: Actor | undefined;
  readonly all: DenyAll;
  /** Those of the open approvals that this person can decide, oldest first. */
  mine(request: InputRequest): readonly InputRequest[];
  enter(patch: Partial<Entered>): void;
  edit(on: boolean): void;
  choose(scope: Scope, mode?: "accept_edits"): void;
  /** Ask once more before a call is denied for good, or a folder granted. */
  ask(asking: "never" | "root"): void;
  confirm(): void;
  back(): void;
  deny(): void;
}
