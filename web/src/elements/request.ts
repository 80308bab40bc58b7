import type { Person } from "../core/audience.ts";
import type { FieldError, InputRequest } from "../core/generated/wire.ts";
import { isTerminal } from "../core/lifecycle.ts";
import { INITIAL, isOpen, isOwn, isUnderway, reduce, type Signal, type View } from "../core/machine.ts";
import { isWithin } from "../core/path.ts";
import { AskbackElement, type ChangedProperties } from "./element.ts";
import { type Action, type Body, createEvent } from "./events.ts";
import { fieldStyles } from "./field.css.ts";
import { html, type Template } from "./html.ts";
import { icons } from "./icons.ts";
import type { BodyFactory, Card, Host, Kind, Sender } from "./kind.ts";
import { drawUnknown, loadKinds, makeKind } from "./kinds.ts";
import { endAnnouncement } from "./labels.ts";
import { draftStore, loadDraftStore } from "./loaddrafts.ts";
import { localizeRequest, texts } from "./localtexts.ts";
import { onDemand } from "./ondemand.ts";
import { cardStyles, markdownStyles, receiptStyles } from "./request.css.ts";
import { drawRequester, redrawDelayMs } from "./requester.ts";
import { sendOrWarn, type WarningHost } from "./secretwarning.ts";
import { Submission } from "./submission.ts";
import { drawErrors } from "./summary.ts";
import { buttonStyles, tokenStyles } from "./tokens.css.ts";

/**
 * One request: what is asked while it is open, the receipt once it has ended.
 *
 * @tag askback-request
 * @attr heading-level - the level of the title's heading, 3 unless set
 * @attr readonly - shows what is asked without letting anybody answer
 * @attr quiet - leaves announcing to the thread or inbox around it
 * @attr modal - asks for an approval in a dialog
 * @csspart card, field, option, input, submit - besides the `--askback-*` values, for a host's styles
 * @fires askback-submit - before anything is sent; cancel it to send it yourself
 * @fires askback-settled - when the request ended while it was shown
 */
export class AskbackRequest extends AskbackElement implements Host, WarningHost {
  static override styles = [
    tokenStyles,
    buttonStyles,
    cardStyles,
    markdownStyles,
    receiptStyles,
    fieldStyles,
  ];
  static override properties = {
    request: undefined,
    client: undefined,
    headingLevel: 3,
    readonly: false,
    quiet: false,
    inThread: false,
    modal: false,
    around: undefined,
    view: INITIAL,
    trouble: undefined,
    hint: undefined,
  };

  /** The request, as the server sends it; a later state of the same request updates the view. */
  declare request: InputRequest | undefined;
  /** Sends the answers; without one the host listens to `askback-submit`. */
  declare client: Sender | undefined;
  declare headingLevel: number | string;
  declare readonly: boolean;
  /** Leaves announcing to the thread or inbox around it: one live region for all. */
  declare quiet: boolean;
  declare inThread: boolean;
  /** Whether its receipt begins unfolded; set it before the request. */
  declare unfolded?: boolean;
  /** Whether its heading takes the focus when it appears, unless something outside of it has the focus. */
  declare takesFocus?: boolean;
  declare modal: boolean;
  /** The requests among which this one has its place, oldest first. */
  declare around: readonly InputRequest[] | undefined;
  declare view: View;
  /** The question about a note that looks like a secret. */
  declare trouble: (() => string | Template) | undefined;

  /** The other people who are answering. */
  declare hint: (() => Template) | undefined;

  #kind: Kind | undefined;
  /** The paths of errors at which the person has changed something since. */
  #clearedPaths: ReadonlySet<string> = new Set();
  readonly #submission = new Submission(this, (signal) => this.#signal(signal));
  #focused = false;
  /** Redraws the remaining time. */
  #tick: ReturnType<typeof setTimeout> | undefined;
  #me: Promise<void> | undefined;
  /** The signed-in person, once known. */
  #person: Person | undefined;

  constructor() {
    super();
    this.addEventListener("keydown", (event) => this.#onKey(event));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.client?.removeEventListener?.("link", this.#onLink);
  }

  readonly #onLink = (): void => {
    this.redraw();
    if (this.client?.link === "online") this.#load(this.view.request ?? this.request);
  };

  #signal(signal: Signal): void {
    const { errors, request } = this.view;
    this.view = reduce(this.view, signal);
    if (this.view.errors !== errors) this.#clearedPaths = new Set();
    // The form was sent back: what is entered from now on is not sent yet.
    if (request && this.view.request && this.view.request.revision > request.revision) {
      // If the focus is still on the button, it moves to the problems, as after a refusal by the page itself.
      if (this.#submission.isSent && this.root.activeElement?.matches("[type=submit]"))
        this.#submission.focusProblems();
      this.#submission.isSent = false;
    }
    this.#submission.follow(this.view);
  }

  protected override willUpdate(changed: ChangedProperties): void {
    if (changed.has("readonly")) this.#signal({ type: "interactive", on: !this.readonly });
    this.client?.addEventListener?.("link", this.#onLink); // no effect if it listens already
    if (changed.has("request")) this.#load(this.request);
    if (this.view.request) {
      const readableRequest = localizeRequest(this.view.request, this);
      if (readableRequest !== this.view.request) this.view = { ...this.view, request: readableRequest };
      if (changed.has("view")) this.#kind?.adopt(readableRequest);
    }
    this.#focused = this.root.activeElement !== null;
  }

  /** Show a state of the request as soon as it can be drawn; what could not be fetched is fetched with the next one. */
  #load(request: InputRequest | null | undefined): void {
    if (!request) return;
    const loading = [loadKinds([request]), loadDraftStore(this.client)].filter(Boolean);
    if (loading.length === 0) this.#adopt(request);
    else
      void Promise.all(loading).then(() => {
        if (request.id !== this.request?.id) return;
        this.#adopt(request);
        // Draw again: the parts that were missing have loaded.
        this.view = { ...this.view };
      });
  }

  #adopt(request: InputRequest): void {
    const { id, level, assignment } = this.view.request ?? {};
    // Once it is assigned it matters who reads, and another kind draws it.
    if (id !== request.id || level !== request.level || !assignment !== !request.assignment) {
      this.view = { ...INITIAL, interactive: !this.readonly };
      this.#kind = undefined;
      this.#submission.attempt = null;
      this.#submission.isSent = false;
      this.#submission.retry?.stop();
      this.trouble = undefined;
    }
    this.#kind = makeKind(request, this, this.#kind);
    this.#signal({ type: "request", request });
    const { client } = this;
    if (client?.whoami) this.#me ??= this.#loadPerson(client).catch(() => {});
  }

  /** Find out who is signed in, and while it is open, who else is answering. */
  async #loadPerson(client: Sender): Promise<void> {
    this.#person = (await client.whoami?.())?.principal;
    this.redraw();
    if (this.view.request && isTerminal(this.view.request.status)) return;
    const part = await import("./answering/answering.ts");
    part.attach(this, client);
  }

  protected override updated(changed: ChangedProperties): void {
    const previousView = changed.get("view") as View | undefined;
    const { request, phase } = this.view;
    clearTimeout(this.#tick);
    if (request?.expires_at && !isTerminal(request.status))
      this.#tick = setTimeout(
        () => this.redraw(),
        redrawDelayMs(Date.parse(request.expires_at) - Date.now()),
      );
    if (request) this.#kind?.afterDraw?.(request);
    if (!request || !isTerminal(request.status)) return;
    const hasEnded = previousView?.request?.id === request.id && previousView.phase !== phase;
    const isOwnAnswer = isOwn(this.view);
    // The focused control was disabled while the answer was sent, so the browser moved the focus to the page.
    const dropped =
      hasEnded && isOwnAnswer && !this.#submission.keepsFocus && document.activeElement === document.body;
    if (this.#focused ? hasEnded || !this.root.activeElement : dropped)
      this.root.querySelector<HTMLElement>("summary, .plain")?.focus();
    if (!hasEnded) return;
    draftStore?.forget(request.id);
    this.dispatchEvent(
      createEvent("askback-settled", { id: request.id, status: request.status, own: isOwnAnswer }),
    );
  }

  errorAt(path: string): string | undefined {
    return this.#clearedPaths.has(path)
      ? undefined
      : this.view.errors.find((error) => isWithin(error.path, path))?.message;
  }

  clearError(path: string): void {
    this.#clearedPaths = new Set(this.#clearedPaths).add(path);
    this.trouble = undefined;
    // The changed values are not the ones that were to be sent again.
    this.#signal({ type: "discard" });
    this.redraw();
  }

  /**
   * Check the values and send them; a second call while they are being sent does nothing.
   * With `focus: false` the focus stays where it is if something is wrong.
   */
  submit({ focus = true } = {}): void {
    this.#submission.keepsFocus = !focus;
    if (isOpen(this.view)) this.#kind?.submit();
  }

  refuse(errors: readonly FieldError[], summary: string | null = null): void {
    this.#signal({ type: "refused", errors, summary });
    this.#submission.focusProblems();
  }

  send(action: Action, body: Body, makeBody?: BodyFactory): void {
    const { request } = this.view;
    const send = (): void => {
      if (request?.id !== this.view.request?.id) return;
      this.trouble = undefined;
      this.#submission.send(
        this.view,
        action,
        { ...body, ...texts.answerLanguages?.(action, this) },
        makeBody,
      );
    };
    if ("note" in body && body.note) void sendOrWarn(this, body.note, send);
    else send();
  }

  /** Show that sending failed; a host that sends by itself calls this too. */
  fail(error: unknown): void {
    this.#submission.fail(error);
  }

  #onKey(event: KeyboardEvent): void {
    // A key that is held would also answer the request that opens next.
    if (event.defaultPrevented || event.isComposing || event.repeat) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.submit();
    } else if (event.key === "Escape") this.#kind?.escape(event.composedPath()[0] as HTMLElement);
  }

  #problems(): Template | string | false {
    const { phase, summary, errors } = this.view;
    if (this.trouble) return this.trouble();
    if (phase === "failed") return this.#submission.drawFailed(summary);
    if (phase !== "error") return false;
    const target = (path: string) => this.#kind?.errorTarget(path);
    return drawErrors(summary, errors, target, this.#clearedPaths, this.getText);
  }

  #drawOpen(request: InputRequest): Template {
    const frame: Card = (
      body,
      lang,
    ) => html`<div class="card" part="card" role="group" aria-labelledby="asker">
      ${drawRequester(request, this.getText, this.locale, !this.inThread, this.client?.now ?? Date.now())}
      <div class="body" lang=${lang}>${this.#problems()} ${body}</div>
      ${this.client?.link === "offline" && html`<p class="link">${icons.warn} ${this.getText("stale")}</p>`}
      ${this.hint?.()}
    </div>`;
    return this.#kind?.drawOpen(request, frame) ?? frame(drawUnknown(this));
  }

  #drawState(): Template {
    const { request } = this.view;
    if (!request) return html`<p class="card plain">${this.getText("loading")}</p>`;
    if (!isTerminal(request.status)) return this.#drawOpen(request);
    return (
      onDemand.drawReceipt?.(this, request, this.#kind, this.#submission, this.#person) ??
      html`<p class="card plain" tabindex="-1">${this.#announcement()}</p>`
    );
  }

  /** Return the text for screen readers. */
  #announcement(): string {
    const { request, phase } = this.view;
    if (phase === "submitting") return this.getText(isUnderway(this.view));
    return request && isTerminal(request.status) ? endAnnouncement(request, phase, this) : "";
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
