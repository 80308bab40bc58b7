import texts from "../../../../src/askback/messages/en.json?approval&texts" with { type: "json" };
import { hasVoted } from "../../core/approval.ts";
import { type Person, readOnlyReason } from "../../core/audience.ts";
import type { InputRequest, Scope } from "../../core/generated/wire.ts";
import { isTerminal } from "../../core/lifecycle.ts";
import { addTexts } from "../../core/messages.ts";
import { isWithin } from "../../core/path.ts";
import { EDITED_PREFIX } from "../drafttypes.ts";
import { html, type Template } from "../html.ts";
import type { Card, ErrorTarget, Host, Kind } from "../kind.ts";
import { draftStore } from "../loaddrafts.ts";
import { onDemand } from "../ondemand.ts";
import type { SettledRequest } from "../receipt/settled.ts";
import { keysOn } from "../singlekeys.ts";
import { approvalStyles } from "./approval.css.ts";
import type { CallDisplay } from "./call.ts";
import { drawCard } from "./card.ts";
import { ClickGuard } from "./clickguard.ts";
import type { ApprovalContext, ConfirmStep, Step } from "./context.ts";
import { type ApprovalDraft, approvalBody, denialBody, EMPTY_DRAFT, editable } from "./draft.ts";
import { highlightStyles } from "./highlight.css.ts";
import { drawApprovalReceipt } from "./receipt.ts";

addTexts(texts);

/** An approval of a tool call or a plan: what the person enters, and how it becomes a decision. */
export class ApprovalKind implements Kind, ApprovalContext {
  draft: ApprovalDraft = EMPTY_DRAFT;
  step: Step | null = null;
  isNoting = false;
  more = false;
  isHiding = false;
  me: Person | undefined;
  readonly #guard: ClickGuard;
  #whole = false;
  #around: readonly InputRequest[] | null | undefined = null;
  #request: InputRequest | undefined;

  constructor(readonly host: Host) {
    host.root.adoptedStyleSheets.push(highlightStyles, approvalStyles);
    host.root.addEventListener("keydown", (event) => this.#onKey(event as KeyboardEvent));
    this.#guard = new ClickGuard(() => host.redraw());
    host.client?.whoami?.().then(
      ({ principal }) => {
        this.me = principal;
        host.redraw();
      },
      () => {},
    );
  }

  get isReady(): boolean {
    return this.#guard.ready;
  }

  adopt(request: InputRequest): void {
    if (!this.#request && !isTerminal(request.status)) this.#restore(request);
    this.#request = request;
    // Closing a dialog restores the focus; removing it does not.
    if (isTerminal(request.status)) this.#dialog?.close();
  }

  /** Go on with what was typed before the page was loaded. */
  #restore({ id, approval }: InputRequest): void {
    const note = draftStore?.readText(id) ?? "";
    const edited_input = (approval?.allow_edit && draftStore?.readText(EDITED_PREFIX + id)) || null;
    this.draft = { ...this.draft, note, edited_input };
    this.isNoting = note !== "";
  }

  decidableRequests(request: InputRequest): readonly InputRequest[] {
    return (this.host.around ?? [request]).filter((item) => mayDecide(item, this.me));
  }

  drawOpen(request: InputRequest, card: Card): Template {
    this.isHiding = false;
    const body = card(drawCard(this, request));
    const { modal, view } = this.host;
    if (!modal || !view.interactive || this.decidableRequests(request)[0]?.id !== request.id) return body;
    const stay = (event: Event): void => event.preventDefault();
    return html`<dialog closedby="none" aria-labelledby="title" .oncancel=${stay} .onclose=${() => this.host.redraw()}>${body}</dialog>`;
  }

  drawSettled(settled: SettledRequest): Template | undefined {
    const line = drawApprovalReceipt(settled, this.callDisplay);
    const { host } = this;
    const { request } = settled;
    const [text, label] = [host.getText("approval.not_run"), host.getText("approval.revoke")];
    const revoke =
      mayRevoke(host, request, this.me) && onDemand.drawFollowUp?.(settled, "revoke", text, label);
    return line && html`${line}${revoke}`;
  }

  afterDraw(): void {
    const { root } = this.host;
    root.host.toggleAttribute("data-keyless", !keysOn());
    const card = root.querySelector<HTMLElement>(".card");
    // A click on the card gives it the focus, and with it the letters.
    if (card) card.tabIndex = -1;
    const dialog = this.#dialog;
    if (dialog && !dialog.open) {
      dialog.showModal();
      this.host.root.querySelector<HTMLElement>("#deny")?.focus();
    }
    // When another request appears or ends, this one may move under the pointer.
    if (this.#around === this.host.around) return;
    this.#around = this.host.around;
    this.#guard.restart();
  }

  get #dialog(): HTMLDialogElement | null {
    return this.host.root.querySelector("dialog");
  }

  change(patch: Partial<ApprovalDraft>): void {
    this.draft = { ...this.draft, ...patch };
    const { note, edited_input } = patch;
    const { id } = this.#request ?? {};
    if (id && note !== undefined) draftStore?.writeText(id, note);
    if (id && edited_input !== undefined) draftStore?.writeText(EDITED_PREFIX + id, edited_input ?? "");
    for (const path of Object.keys(patch)) this.host.clearError(path);
  }

  get callDisplay(): CallDisplay {
    return {
      getText: this.host.getText,
      unfolded: this.#whole,
      // A step is opened only when everything is shown, and stays so.
      toggle: !this.step && (() => this.#show(!this.#whole)),
      hide: () => {
        this.isHiding = true;
      },
    };
  }

  /** Fold or unfold the call, which moves the buttons. */
  #show(whole: boolean): void {
    this.#whole = whole;
    this.#guard.restart();
    this.host.redraw();
  }

  edit(on: boolean): void {
    const approval = this.#request?.approval;
    this.change({ edited_input: on && approval ? editable(approval) : null });
    this.host.focusOn(on ? "#edited_input" : "#edit");
  }

  addNote(): void {
    this.isNoting = true;
    this.host.focusOn("#note");
  }

  toggleMore(): void {
    this.more = !this.more;
    this.host.focusOn(this.more ? ".further button" : "#more");
  }

  /** Press the button of a letter, unless it is typed into a box; a dangerous call is then allowed with Enter. */
  #onKey(event: KeyboardEvent): void {
    const { key, target, ctrlKey, metaKey, altKey, repeat } = event;
    const typing = ctrlKey || metaKey || altKey || (target as Element).matches("input, textarea, select");
    if (typing || repeat || event.defaultPrevented || !this.isReady || !keysOn()) return;
    const button = this.host.root.querySelector<HTMLElement>(`[aria-keyshortcuts="${CSS.escape(key)}"]`);
    if (!button) return;
    event.preventDefault();
    button.click();
    if (this.step === "once") this.host.focusOn("#yes");
  }

  /** Approve immediately, or after a confirmation if the call is dangerous or a rule is stored; first, show all of it. */
  choose(scope: Scope, mode?: "accept_edits"): void {
    if (!this.isReady) return;
    if (this.isHiding) {
      this.#show(true);
      this.host.focusOn("pre [tabindex]");
      return;
    }
    const { risk } = this.#request?.approval ?? {};
    if (scope === "once" && risk?.level !== "danger") this.#approve(scope, mode);
    else this.#ask(scope, "#back");
  }

  /** Open or leave a step; its buttons accept clicks after a pause. */
  #ask(step: Step | null, focus: string): void {
    this.step = step;
    this.#guard.restart();
    this.host.focusOn(focus);
  }

  confirm(): void {
    if (this.step === "changes") this.#requestChanges();
    else if (this.step && this.isReady) this.#answerStep(this.step);
  }

  back(): void {
    this.#ask(null, this.step === "changes" ? "#deny" : `#${this.step}`);
  }

  /** A dialog takes the focus when it opens, so a key that was meant for something else must not deny. */
  deny(): void {
    if (this.host.modal && !this.isReady) return;
    if (this.#request?.approval?.plan) this.#ask("changes", "#note");
    else if (this.#request) this.host.send("answer", denialBody(this.#request, this.draft));
  }

  ask(step: "never" | "root"): void {
    if (this.isReady) this.#ask(step, "#back");
  }

  #answerStep(step: ConfirmStep): void {
    const { approval } = this.#request ?? {};
    const unconfirmed = approval?.scripts?.length && !this.draft.script_may_change;
    if ((step === "project" || step === "always") && unconfirmed)
      this.#refuse("script_may_change", "approval.script_blank");
    else if (step !== "never") this.#approve(step);
    else if (this.#request) this.host.send("answer", denialBody(this.#request, this.draft, true));
  }

  #requestChanges(): void {
    if (!this.#request) return;
    if (this.draft.note.trim()) this.host.send("answer", denialBody(this.#request, this.draft));
    else this.#refuse("note", "approval.plan_blank");
  }

  #approve(scope: Scope | "root", mode?: "accept_edits"): void {
    if (!this.#request) return;
    const body = approvalBody(this.#request, this.draft, scope, mode);
    if (body) this.host.send("answer", body);
    else this.#refuse("edited_input", "approval.not_json");
  }

  #refuse(path: string, key: string): void {
    const { host } = this;
    host.refuse([
      {
        path,
        get message() {
          return host.getText(key);
        },
      },
    ]);
  }

  submit(): void {
    this.confirm();
  }

  /** Escape answers nothing: it closes the open step. */
  escape(): void {
    if (this.step) this.back();
  }

  errorTarget(path: string): ErrorTarget | undefined {
    const box = Object.keys(this.draft).find((name) => isWithin(path, name));
    const element = box && this.host.root.querySelector<HTMLElement>(`#${box}`);
    return box && element ? { path: box, go: () => element.focus() } : undefined;
  }

  unsentText(): string {
    return this.draft.note.trim();
  }
}

export const kinds = { approval: ApprovalKind };

/** Whether a request is an open approval that this person can decide, as far as that is known here. */
function mayDecide(request: InputRequest, me: Person | undefined): boolean {
  const { kind, status, votes, queued_behind } = request;
  if (kind !== "approval" || status !== "pending" || queued_behind) return false;
  if (!me) return true;
  const why = readOnlyReason(request, me);
  return (!why || why === "view") && !hasVoted(me, votes);
}

/** Whether an approval can be revoked: until an event says that the call has run, was revoked or has expired. */
function mayRevoke({ client, view }: Host, request: InputRequest, me: Person | undefined): boolean {
  const { answer, source, used_at, revoked } = request;
  const until = answer?.decision === "approve" && source === "responder" ? answer.expires_at : null;
  if (!until || used_at || revoked || Date.parse(until) <= (client?.now ?? Date.now())) return false;
  return !!client?.post && view.interactive && !readOnlyReason(request, me);
}
