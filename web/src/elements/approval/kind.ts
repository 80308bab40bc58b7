import "./texts.ts";
import type { Actor } from "../../core/actor.ts";
import { hasVoted, type Scope } from "../../core/approval.ts";
import { hindrance } from "../../core/audience.ts";
import { isTerminal } from "../../core/lifecycle.ts";
import { isWithin } from "../../core/path.ts";
import type { InputRequest } from "../../core/wire.ts";
import type { Settled } from "../ended.ts";
import { FollowUp } from "../followup.ts";
import { html, type Template } from "../html.ts";
import type { Card, ErrorTarget, Host, Kind } from "../kind.ts";
import { approvals } from "./approval.css.ts";
import { Arming } from "./arming.ts";
import type { Shown } from "./call.ts";
import { drawCard } from "./card.ts";
import { DenyAll } from "./denyall.ts";
import type { Asking, Desk, Sure } from "./desk.ts";
import { approvalOf, denial, type Entered, editable, NOTHING } from "./entered.ts";
import { drawDecided } from "./receipt.ts";
import { mayRevoke } from "./revoke.ts";

/** A tool call that wants to run, or a plan: what the person enters, and how it becomes a decision. */
export class ApprovalKind implements Kind, Desk {
  entered: Entered = NOTHING;
  asking: Asking | null = null;
  me: Actor | undefined;
  readonly all: DenyAll;
  readonly #arming: Arming;
  readonly #revoke: FollowUp;
  #whole = false;
  #around: readonly InputRequest[] | null | undefined = null;
  #request: InputRequest | undefined;

  constructor(readonly host: Host) {
    host.root.adoptedStyleSheets.push(approvals);
    this.all = new DenyAll(host, "summary, .plain, #deny");
    this.#revoke = new FollowUp(host, "revoke");
    this.#arming = new Arming(() => host.redraw());
    host.client?.whoami?.().then(
      ({ principal }) => {
        this.me = principal;
        host.redraw();
      },
      () => {},
    );
  }

  get armed(): boolean {
    return this.#arming.armed;
  }

  adopt(request: InputRequest): void {
    this.#request = request;
    // A dialog that closes gives the focus back to where it was before; one that is only taken away does not.
    if (isTerminal(request.status)) this.#dialog?.close();
  }

  mine(request: InputRequest): readonly InputRequest[] {
    return (this.host.around ?? [request]).filter((item) => mayDecide(item, this.me));
  }

  drawOpen(request: InputRequest, card: Card): Template {
    const body = card(drawCard(this, request));
    const { modal, view } = this.host;
    if (!modal || !view.interactive || this.mine(request)[0]?.id !== request.id) return body;
    const stay = (event: Event): void => event.preventDefault();
    return html`<dialog closedby="none" aria-labelledby="title" .oncancel=${stay} .onclose=${() => this.host.redraw()}>${body}</dialog>`;
  }

  drawSettled(settled: Settled): Template | undefined {
    const line = drawDecided(settled, this.shown);
    const { host } = this;
    const { request } = settled;
    const [text, label] = [host.say("approval.not_run"), host.say("approval.revoke")];
    return (
      line && html`${line}${mayRevoke(host, request, this.me) && this.#revoke.draw(request.id, text, label)}`
    );
  }

  afterDraw(): void {
    const dialog = this.#dialog;
    if (dialog && !dialog.open) {
      dialog.showModal();
      this.host.root.querySelector<HTMLElement>("#deny")?.focus();
    }
    // When another one comes or ends, this one may move under a pointer that meant something else.
    if (this.#around === this.host.around) return;
    this.#around = this.host.around;
    this.#arming.restart();
  }

  get #dialog(): HTMLDialogElement | null {
    return this.host.root.querySelector("dialog");
  }

  enter(patch: Partial<Entered>): void {
    this.entered = { ...this.entered, ...patch };
    for (const path of Object.keys(patch)) this.host.clearError(path);
  }

  get shown(): Shown {
    const toggle = (): void => {
      this.#whole = !this.#whole;
      this.host.redraw();
    };
    return { say: this.host.say, whole: this.#whole, toggle };
  }

  edit(on: boolean): void {
    const approval = this.#request?.approval;
    this.enter({ edited_input: on && approval ? editable(approval) : null });
    this.host.focusOn(on ? "#edited_input" : "#edit");
  }

  /** What is dangerous and what keeps a rule is asked once more; all else is approved at once. */
  choose(scope: Scope, mode?: "accept_edits"): void {
    if (!this.armed) return;
    const { risk } = this.#request?.approval ?? {};
    if (scope === "once" && risk?.level !== "danger") this.#approve(scope, mode);
    else this.#ask(scope, "#back");
  }

  /** Go on to a question, or back from it; what approves there is armed anew. */
  #ask(asking: Asking | null, focus: string): void {
    this.asking = asking;
    this.#arming.restart();
    this.host.focusOn(focus);
  }

  confirm(): void {
    if (this.asking === "changes") this.#requestChanges();
    else if (this.asking && this.armed) this.#settle(this.asking);
  }

  back(): void {
    this.#ask(null, this.asking === "changes" ? "#deny" : `#${this.asking}`);
  }

  /** In a dialog, which has the focus as it comes up, a key that was meant for something else denies nothing either. */
  deny(): void {
    if (this.host.modal && !this.armed) return;
    if (this.#request?.approval?.plan) this.#ask("changes", "#note");
    else if (this.#request) this.host.send("answer", denial(this.#request, this.entered));
  }

  ask(asking: "never" | "root"): void {
    if (this.armed) this.#ask(asking, "#back");
  }

  #settle(asking: Sure): void {
    const { approval } = this.#request ?? {};
    const unsure = approval?.scripts?.length && !this.entered.script_may_change;
    if ((asking === "project" || asking === "always") && unsure)
      this.#refuse("script_may_change", "approval.script_blank");
    else if (asking !== "never") this.#approve(asking);
    else if (this.#request) this.host.send("answer", denial(this.#request, this.entered, true));
  }

  #requestChanges(): void {
    if (!this.#request) return;
    if (this.entered.note.trim()) this.host.send("answer", denial(this.#request, this.entered));
    else this.#refuse("note", "approval.plan_blank");
  }

  #approve(scope: Scope | "root", mode?: "accept_edits"): void {
    if (!this.#request) return;
    const body = approvalOf(this.#request, this.entered, scope, mode);
    if (body) this.host.send("answer", body);
    else this.#refuse("edited_input", "approval.not_json");
  }

  #refuse(path: string, key: string): void {
    this.host.refuse([{ path, message: this.host.say(key) }]);
  }

  submit(): void {
    this.confirm();
  }

  /** Escape answers nothing: it leaves a question that has not been answered. */
  escape(): void {
    if (this.all.asks) this.all.leave();
    else if (this.asking) this.back();
  }

  errorTarget(path: string): ErrorTarget | undefined {
    const box = Object.keys(this.entered).find((name) => isWithin(path, name));
    const element = box && this.host.root.querySelector<HTMLElement>(`#${box}`);
    return box && element ? { path: box, go: () => element.focus() } : undefined;
  }

  unsentText(): string {
    return this.entered.note.trim();
  }
}

export const kinds = { approval: ApprovalKind };

/** Whether a request is an open approval that this person can decide, as far as that is known here. */
function mayDecide(request: InputRequest, me: Actor | undefined): boolean {
  const { kind, status, votes, queued_behind } = request;
  if (kind !== "approval" || status !== "pending" || queued_behind) return false;
  if (!me) return true;
  return hindrance(request, me) !== "for" && !hasVoted(me, votes);
}
