import { WireError } from "../client/errors.ts";
import { newKey } from "../client/key.ts";
import { isTerminal } from "../core/lifecycle.ts";
import { INITIAL, isOpen, next, type Signal, type View } from "../core/machine.ts";
import { isWithin, join } from "../core/path.ts";
import {
  allFields,
  type Field,
  type FieldError,
  type Form,
  type InputRequest,
  type Values,
} from "../core/wire.ts";
import { drawAsker } from "./asker.ts";
import { check } from "./check.ts";
import { collect, type Draft, dangerous, type Entry, start } from "./draft.ts";
import { AskbackElement, type Changed } from "./element.ts";
import { type Action, type Body, made } from "./events.ts";
import { fields } from "./field.css.ts";
import type { Filter } from "./fieldview.ts";
import { drawForm, drawLead, type FormHost, uidOf } from "./form.ts";
import { html, type Template } from "./html.ts";
import { drawEnded, drawReceipt } from "./receipt.ts";
import { card, receipt } from "./request.css.ts";
import { questionOf } from "./show.ts";
import { drawProblems, type Problem } from "./summary.ts";
import { buttons, tokens } from "./tokens.css.ts";

/** What the element needs to send; `Client` is one. */
export interface Sender {
  send(id: string, action: Action, body: Body, key: string): Promise<InputRequest>;
}

interface Attempt {
  readonly text: string;
  readonly action: Action;
  readonly body: Body;
  readonly key: string;
}

/**
 * One request: the question while it is open, the receipt once it has ended.
 *
 * @tag askback-request
 * @attr heading-level - the level of the title's heading, 3 unless set
 * @attr readonly - shows the form without letting anybody answer
 * @attr quiet - leaves announcing to the thread or inbox around it
 * @csspart card, field, option, input, submit - besides the `--askback-*` values, for a host's styles
 * @fires askback-submit - before anything is sent; cancel it to send it yourself
 * @fires askback-settled - when the request ended while it was shown
 */
export class AskbackRequest extends AskbackElement implements FormHost {
  static override styles = [tokens, buttons, card, receipt, fields];
  static override properties = {
    request: undefined,
    client: undefined,
    headingLevel: 3,
    readonly: false,
    quiet: false,
    inThread: false,
    view: INITIAL,
    draft: new Map(),
    asking: [],
    filters: new Map(),
  };

  /** What is asked, as the server sends it; a later state of the same request updates the view. */
  declare request: InputRequest | undefined;
  /** Sends the answers; without one the host listens to `askback-submit`. */
  declare client: Sender | undefined;
  declare headingLevel: number | string;
  declare readonly: boolean;
  /** Leaves announcing to the thread or inbox around it: one live region for all. */
  declare quiet: boolean;
  /** Does not repeat the thread's name. */
  declare inThread: boolean;
  declare view: View;
  declare draft: Draft;
  declare asking: readonly string[];
  declare filters: ReadonlyMap<string, Filter>;

  #mended: ReadonlySet<string> = new Set();
  #attempt: Attempt | null = null;
  #confirmed = false;
  /** Whether what was entered is on its way or has arrived. */
  #sent = false;
  #focused = false;
  #calm = false;

  constructor() {
    super();
    this.addEventListener("keydown", (event) => this.#onKey(event));
  }

  get #form(): Form | null | undefined {
    return this.view.request?.form;
  }

  /** Whether this element sent something and somebody else was first. */
  get #lost(): boolean {
    return this.#attempt !== null && this.view.elsewhere;
  }

  #signal(signal: Signal): void {
    this.view = next(this.view, signal);
  }

  protected override willUpdate(changed: Changed): void {
    if (changed.has("readonly")) this.#signal({ type: "interactive", on: !this.readonly });
    if (changed.has("request") && this.request) this.#adopt(this.request);
    this.#focused = this.root.activeElement !== null;
  }

  #adopt(request: InputRequest): void {
    if (this.view.request?.id !== request.id) {
      this.view = next({ ...INITIAL, interactive: !this.readonly }, { type: "request", request });
      this.draft = new Map();
      this.#attempt = null;
      this.#sent = false;
    } else this.#signal({ type: "request", request });
    this.#begin();
  }

  /** Make a draft for the form as it is now, from what was entered so far. */
  #begin(): void {
    if (this.#form) this.draft = start(this.#form, this.locale, this.draft);
  }

  protected override updated(changed: Changed): void {
    const before = changed.get("view") as View | undefined;
    const { request, phase } = this.view;
    if (!request || before?.request?.id !== request.id || before.phase === phase) return;
    if (!isTerminal(request.status)) return;
    const own = this.#attempt !== null && !this.#lost;
    // What had the focus was disabled while the answer was on its way, and the browser gave the focus to the page.
    const dropped = own && !this.#calm && document.activeElement === document.body;
    if (this.#focused || dropped) this.root.querySelector<HTMLElement>("summary, .plain")?.focus();
    this.dispatchEvent(made("askback-settled", { id: request.id, status: request.status, own }));
  }

  /** The message for a field, unless the person has changed the field since. */
  errorOf(field: Field): string | undefined {
    const path = join("values", field.id);
    return this.#mended.has(field.id)
      ? undefined
      : this.view.errors.find((error) => isWithin(error.path, path))?.message;
  }

  change(field: Field, patch: Partial<Entry>): void {
    const entry = this.draft.get(field.id);
    if (!entry) return;
    this.draft = new Map(this.draft).set(field.id, { ...entry, ...patch });
    this.#mended = new Set(this.#mended).add(field.id);
  }

  search(field: Field, text: string): void {
    const kept = this.draft.get(field.id)?.chosen ?? [];
    this.filters = new Map(this.filters).set(field.id, { text, kept });
  }

  /** One click answers at once, but for a dangerous option, which is asked about first, and for "Other". */
  pick(field: Field, patch: Partial<Entry>): void {
    const form = this.#form;
    if (!form || !isOpen(this.view)) return;
    this.change(field, patch);
    if (patch.chosen?.length) this.#proceed(form, collect(form, this.draft, this.locale));
    else this.#focusLater("#f0-text");
  }

  confirm(yes: boolean): void {
    this.asking = [];
    this.#confirmed = yes;
    if (yes) this.submit();
    else this.#focusLater(".choice, [type=submit]");
  }

  /**
   * Check what was entered and send it; a second call while it is on its way does nothing.
   * `focus: false` leaves the focus where it is when something is wrong.
   */
  submit({ focus = true } = {}): void {
    this.#calm = !focus;
    const form = this.#form;
    if (!form || !isOpen(this.view)) return;
    const values = collect(form, this.draft, this.locale);
    const halfTyped = allFields(form).filter((field) => this.#control(form, field)?.validity?.badInput);
    const patterns = this.view.request?.view?.patterns;
    const errors = check({ form, values, draft: this.draft, patterns, halfTyped }, this.locale);
    if (errors.length > 0) this.#refuse(errors);
    else this.#proceed(form, values);
  }

  /** Send what has passed the check, but ask again first where a dangerous option is chosen. */
  #proceed(form: Form, values: Values): void {
    const labels = this.#confirmed ? [] : dangerous(form, this.draft);
    this.#confirmed = false;
    this.asking = labels;
    if (labels.length > 0) this.#focusLater("#back");
    else this.#post("answer", { revision: this.view.request?.revision ?? 1, values });
  }

  decline(reason: "skipped" | "dismissed"): void {
    if (isOpen(this.view)) this.#post("decline", { reason });
  }

  #refuse(errors: readonly FieldError[], summary: string | null = null): void {
    this.#mended = new Set();
    this.#signal({ type: "refused", errors, summary });
    this.#focusProblems();
  }

  #post(action: Action, body: Body): void {
    const request = this.view.request;
    if (!request) return;
    const text = JSON.stringify([action, body]);
    const again = this.view.phase === "failed" && this.#attempt?.text === text ? this.#attempt : null;
    this.#attempt = again ?? { text, action, body, key: newKey() };
    this.#sent = true;
    this.#signal({ type: "submit", key: this.#attempt.key });
    void this.#deliver(request.id, this.#attempt);
  }

  async #deliver(id: string, { action, body, key }: Attempt): Promise<void> {
    const unclaimed = this.dispatchEvent(made("askback-submit", { id, action, body, key }));
    if (!this.client || !unclaimed) return;
    try {
      const request = await this.client.send(id, action, body, key);
      if (this.view.request?.id === id) this.#signal({ type: "accepted", request });
    } catch (error) {
      if (this.view.request?.id === id) this.fail(error);
    }
  }

  /** Show that sending did not work; a host that sends by itself calls this too. */
  fail(error: unknown): void {
    const { final, message, fieldErrors, request } = error instanceof WireError ? error : new WireError(0);
    this.#sent = false;
    if (request) this.#conflict(request);
    else if (final) this.#refuse(fieldErrors, fieldErrors.length > 0 ? null : message);
    else {
      this.#signal({ type: "failed", summary: message || null });
      this.#focusProblems();
    }
  }

  #conflict(request: InputRequest): void {
    this.#signal({ type: "conflict", request });
    if (isTerminal(request.status)) return;
    this.#begin();
    this.#refuse([], this.say("changed"));
  }

  #focusProblems(): void {
    if (!this.#calm) this.#focusLater("#problems");
  }

  #focusLater(selector: string): void {
    void this.updateComplete.then(() => this.root.querySelector<HTMLElement>(selector)?.focus());
  }

  #control(form: Form, field: Field): HTMLInputElement | null {
    const uid = uidOf(form, field);
    const find = (selector: string) => this.root.querySelector<HTMLInputElement>(selector);
    return find(`#${uid}-text`) ?? find(`#${uid}, #${uid}-0`);
  }

  /** Bring the label into view, then move the focus without a second scroll. */
  #goTo(form: Form, field: Field): void {
    const control = this.#control(form, field);
    control?.closest(".field")?.scrollIntoView({ block: "nearest" });
    control?.focus({ preventScroll: true });
  }

  #onKey(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.isComposing) return;
    const form = this.#form;
    const target = event.composedPath()[0] as HTMLElement;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.submit();
    } else if (event.key === "Escape" && this.asking.length > 0) this.confirm(false);
    else if (event.key === "Escape" && form?.allow_skip && !target.matches("select, [type=search]"))
      this.decline("skipped");
  }

  #problems(form: Form | null | undefined): Template | false {
    const { say } = this;
    const attempt = this.#attempt;
    const { phase, summary, errors } = this.view;
    if (phase === "failed" && attempt)
      return drawProblems(
        say("failed"),
        summary ? [{ text: summary }] : [],
        html`<button type="button" class="retry" .onclick=${() => this.#post(attempt.action, attempt.body)}>${say("retry")}</button>`,
      );
    if (phase !== "error") return false;
    const known = form ? allFields(form) : [];
    const open = errors.flatMap((error): Problem[] => {
      const field = known.find((item) => isWithin(error.path, join("values", item.id)));
      if (!form || !field) return [{ text: error.message }];
      const text = known.length > 1 ? `${field.label}: ${error.message}` : error.message;
      return this.#mended.has(field.id) ? [] : [{ text, go: () => this.#goTo(form, field) }];
    });
    return (open.length > 0 || summary !== null) && drawProblems(summary ?? say("problem"), open);
  }

  #drawOpen(request: InputRequest): Template {
    const form = request.kind === "form" ? request.form : null;
    return html`<div class="card" part="card" role="group" aria-labelledby="asker">
      ${drawAsker(request, this.say, this.locale, !this.inThread)}
      <div class="body" lang=${form?.locale}>
        ${this.#problems(request.form)}
        ${form ? [drawLead(this, request, form), drawForm(this, request, form)] : this.#drawUnknown()}
      </div>
    </div>`;
  }

  #drawUnknown(): Template {
    return html`<p>${this.say("unknown_kind")}</p>
      <div class="actions">
        <button type="button" aria-disabled=${!isOpen(this.view)} .onclick=${() => this.decline("dismissed")}>${this.say("dismiss")}</button>
      </div>`;
  }

  #drawState(): Template {
    const { say, locale, draft } = this;
    const { request } = this.view;
    if (!request) return html`<p class="card plain">${say("loading")}</p>`;
    if (!isTerminal(request.status)) return this.#drawOpen(request);
    const settled = { request, say, locale, lost: this.#lost, draft: this.#sent ? null : draft };
    return request.status === "answered" ? drawReceipt(settled) : drawEnded(settled);
  }

  #announcement(): string {
    const { request, phase } = this.view;
    if (phase === "submitting") return this.say("sending");
    if (!request || !isTerminal(request.status)) return "";
    return this.say(phase === "answered" ? "done_answered" : "done_ended", { title: questionOf(request) });
  }

  protected override render(): Template {
    return html`${this.#drawState()}${!this.quiet && html`<div class="hidden" role="status">${this.#announcement()}</div>`}`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "askback-request": AskbackRequest;
  }
}
