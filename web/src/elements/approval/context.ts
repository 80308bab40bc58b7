import type { Person } from "../../core/audience.ts";
import type { InputRequest, Scope } from "../../core/generated/wire.ts";
import { html, type Template } from "../html.ts";
import type { Host } from "../kind.ts";
import type { CallDisplay } from "./call.ts";
import type { ApprovalDraft } from "./draft.ts";

/** The choices that need a confirmation: a scope, denying for good (`never`), or granting the folder (`root`). */
export type ConfirmStep = Scope | "never" | "root";
/** The second step of a decision: a confirmation, or the changes to a plan. */
export type Step = ConfirmStep | "changes";

/** The draft and the actions that an open approval is drawn with. */
export interface ApprovalContext {
  readonly host: Host;
  readonly draft: ApprovalDraft;
  /** The step that is open, null while the choices are shown. */
  readonly step: Step | null;
  /** How much of the call is shown. */
  readonly callDisplay: CallDisplay;
  /** Whether lines of the call are hidden; known once the call is drawn. */
  readonly isHiding: boolean;
  /** Whether the box for a note is open. */
  readonly isNoting: boolean;
  /** Whether the further choices are shown where there is little room. */
  readonly more: boolean;
  /** Whether the buttons that approve accept clicks yet. */
  readonly isReady: boolean;
  readonly me: Person | undefined;
  /** The open approvals that this person can decide, oldest first. */
  decidableRequests(request: InputRequest): readonly InputRequest[];
  change(patch: Partial<ApprovalDraft>): void;
  edit(on: boolean): void;
  addNote(): void;
  toggleMore(): void;
  choose(scope: Scope, mode?: "accept_edits"): void;
  /** Open the confirmation for denying for good or granting the folder. */
  ask(step: "never" | "root"): void;
  confirm(): void;
  back(): void;
  deny(): void;
}

export interface Button {
  id?: string;
  variant?: string | false;
  text: unknown;
  disabled: boolean;
  /** Whether what it opens is open. */
  open?: boolean;
  /** The letter that presses it. */
  key?: string | undefined;
  press(): void;
}

export const drawButton = ({ id, variant, text, disabled, open, key, press }: Button): Template =>
  html`<button type="button" id=${id} class=${variant} aria-disabled=${disabled} aria-expanded=${open !== undefined && String(open)} aria-keyshortcuts=${key} .onclick=${press}>${text}${key && html`<kbd aria-hidden="true">${key.toUpperCase()}</kbd>`}</button>`;

export const isBusy = ({ host }: ApprovalContext): boolean => host.view.phase === "submitting";

/** Draw the button that returns to the choices. */
export const drawBack = (context: ApprovalContext): Template =>
  drawButton({
    id: "back",
    text: context.host.getText("sure_no"),
    disabled: isBusy(context),
    press: () => context.back(),
  });
