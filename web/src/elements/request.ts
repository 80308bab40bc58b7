import { WireError } from "../client/errors.ts";
import { newKey } from "../client/key.ts";
import type { Actor } from "../core/actor.ts";
import { isSame } from "../core/audience.ts";
import { isTerminal } from "../core/lifecycle.ts";
import { INITIAL, isOpen, mayDecline, next, type Signal, underway, type View } from "../core/machine.ts";
import { isWithin } from "../core/path.ts";
import type { FieldError, InputRequest } from "../core/wire.ts";
import { drawAsker } from "./asker.ts";
import { type Doubtful, sendOrDoubt } from "./doubts.ts";
import type { Retry, Attempt as Submission } from "./drafts.ts";
import { draftStore, loadDraftStore } from "./draftstore.ts";
import { AskbackElement, type Changed } from "./element.ts";
import { drawEnded, type Fate } from "./ended.ts";
import { type Action, type Body, createEvent } from "./events.ts";
import { fields } from "./field.css.ts";
import { FollowUp } from "./followup.ts";
import { html, type Template } from "./html.ts";
import { icons } from "./icons.ts";
import type { Card, Host, Kind, Sender, Whole } from "./kind.ts";
import { fetchKinds, makeKind } from "./kinds.ts";
import { card, receipt } from "./request.css.ts";
import { questionOf } from "./show.ts";
import { drawProblems, type Problem } from "./summary.ts";
import { when } from "./text.ts";
import { buttons, tokens } from "./tokens.css.ts";

interface Attempt extends Submission {
  readonly text: string;
  readonly action: Action;
  readonly key: string;
  readonly whole: Whole | undefined;
}

/** When the time that is left is drawn again: each second of the last minutes, of the last hour several times a minute. */
const pauseBefore = (ms: number): number => (ms < 150_000 ? 1_000 : ms < 3_600_000 ? 15_000 : 300_000);

/** What a reply says of the attempt: a repeated one may have been refused, or sent back, before its reply arrived. */
const outcomeOf = ({ submission }: InputRequest): "accepted" | "conflict" =>
  submission === "refused" || submission === "reprompted" ? "conflict" : "accepted";

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
export class AskbackRequest extends AskbackElement implements Host, Doubtful {
  static override styles = [tokens, buttons, card, receipt, fields];
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
  declare modal: boolean;
  /** The requests among which this one has its place, oldest first. */
  declare around: readonly InputRequest[] | undefined;
  declare view: View;
  /** The question about a note that seems to hold a secret. */
  declare trouble: string | Template | undefined;

  #kind: Kind | undefined;
  /** The places of errors that the person has changed since. */
  #mended: ReadonlySet<string> = new Set();
  #attempt: Attempt | null = null;
  /** Whether what was entered is on its way or has arrived. */
  #sent = false;
  #focused = false;
  #calm = false;
  /** Whether the agent may ask again what was refused here. */
  readonly #again = new FollowUp(this, "ask-again");
  /** Draws the time that is left anew. */
  #tick: ReturnType<typeof setTimeout> | undefined;
  #me: Promise<void> | undefined;
  /** What sends the attempt again whose outcome is unknown. */
  #retry: Retry | undefined;
  /** Who is signed in, once that is known. */
  #person: Actor | undefined;

  constructor() {
    super();
    this.addEventListener("keydown", (event) => this.#onKey(event));
  }

  #signal(signal: Signal): void {
    const { errors, request } = this.view;
    this.view = next(this.view, signal);
    if (this.view.errors !== errors) this.#mended = new Set();
    // What was sent came back: what is entered from now on is not sent yet.
    if (request && this.view.request && this.view.request.revision > request.revision) {
      // Who still waits at the button is led to what is wrong, as after a refusal by the page itself.
      if (this.#sent && this.root.activeElement?.matches("[type=submit]")) this.#focusProblems();
      this.#sent = false;
    }
    if (this.view.phase !== "failed") this.#retry?.stop();
  }

  /** Whether what was sent from here settled the request, as far as that is known. */
  get #isOwn(): boolean {
    const { key, origin } = this.view;
    return origin === "here" || (key !== null && origin !== "lost");
  }

  protected override willUpdate(changed: Changed): void {
    if (changed.has("readonly")) this.#signal({ type: "interactive", on: !this.readonly });
    const { client, request } = this;
    if (changed.has("client")) client?.addEventListener?.("link", () => this.redraw());
    if (changed.has("request") && request) {
      const late = [fetchKinds([request]), loadDraftStore(client)].filter(Boolean);
      if (late.length > 0) void Promise.all(late).then(() => this.#adopt(request));
      else this.#adopt(request);
    }
    if (changed.has("view") && this.view.request) this.#kind?.adopt(this.view.request);
    this.#focused = this.root.activeElement !== null;
  }

  #adopt(request: InputRequest): void {
    if (this.view.request?.id !== request.id || this.view.request.level !== request.level) {
      this.view = { ...INITIAL, interactive: !this.readonly };
      this.#kind = undefined;
      this.#attempt = null;
      this.#sent = false;
      this.#retry?.stop();
      this.trouble = undefined;
    }
    this.#kind ??= makeKind(request, this);
    this.#signal({ type: "request", request });
    this.#me ??= this.client?.whoami?.().then(
      ({ principal }) => {
        this.#person = principal;
        this.redraw();
      },
      () => {},
    );
  }

  protected override updated(changed: Changed): void {
    const before = changed.get("view") as View | undefined;
    const { request, phase } = this.view;
    clearTimeout(this.#tick);
    if (request?.expires_at && !isTerminal(request.status))
      this.#tick = setTimeout(() => this.redraw(), pauseBefore(Date.parse(request.expires_at) - Date.now()));
    if (request) this.#kind?.drawn?.(request);
    if (!request || before?.request?.id !== request.id || before.phase === phase) return;
    if (!isTerminal(request.status)) return;
    draftStore?.forget(request.id);
    const own = this.#isOwn;
    // What had the focus was disabled while the answer was on its way, and the browser gave the focus to the page.
    const dropped = own && !this.#calm && document.activeElement === document.body;
    if (this.#focused || dropped) this.root.querySelector<HTMLElement>("summary, .plain")?.focus();
    this.dispatchEvent(createEvent("askback-settled", { id: request.id, status: request.status, own }));
  }

  errorAt(path: string): string | undefined {
    return this.#mended.has(path)
      ? undefined
      : this.view.errors.find((error) => isWithin(error.path, path))?.message;
  }

  mend(path: string): void {
    this.#mended = new Set(this.#mended).add(path);
    this.trouble = undefined;
    // What is changed meanwhile is not what was to be sent again.
    this.#signal({ type: "discard" });
    this.redraw();
  }

  /**
   * Check what was entered and send it; a second call while it is on its way does nothing.
   * `focus: false` leaves the focus where it is when something is wrong.
   */
  submit({ focus = true } = {}): void {
    this.#calm = !focus;
    if (isOpen(this.view)) this.#kind?.submit();
  }

  refuse(errors: readonly FieldError[], summary: string | null = null): void {
    this.#signal({ type: "refused", errors, summary });
    this.#focusProblems();
  }

  send(action: Action, body: Body, whole?: Whole): void {
    const { request } = this.view;
    const send = (): void => {
      if (request?.id === this.view.request?.id) this.#send(action, body, whole);
    };
    if ("note" in body && body.note) void sendOrDoubt(this, body.note, send);
    else send();
  }

  #send(action: Action, body: Body, whole?: Whole): void {
    this.trouble = undefined;
    const { request } = this.view;
    const open = isOpen(this.view);
    if (!request || !(open || (action === "decline" && mayDecline(this.view)))) return;
    const text = JSON.stringify([action, body]);
    const last = this.#attempt;
    const again = last?.text === text && last.whole === whole && last.key === this.view.key ? last : null;
    this.#attempt = again ?? { text, action, body, key: newKey(), whole };
    this.#sent = open;
    this.#signal({ type: "submit", key: this.#attempt.key });
    void this.#deliver(request.id, this.#attempt);
  }

  async #deliver(id: string, { action, body, key, whole }: Attempt): Promise<void> {
    const unclaimed = this.dispatchEvent(createEvent("askback-submit", { id, action, body, key }));
    if (!this.client || !unclaimed) return;
    try {
      const request = await this.client.send(id, action, whole ? whole() : body, key);
      if (this.view.request?.id === id) this.#signal({ type: outcomeOf(request), request });
    } catch (error) {
      if (this.view.request?.id === id) this.fail(error);
    }
  }

  /** Show that sending did not work; a host that sends by itself calls this too. */
  fail(error: unknown): void {
    const { final, message, fieldErrors, request } = error instanceof WireError ? error : new WireError(0);
    const { phase, key } = this.view;
    this.#sent = false;
    if (request) this.#conflict(request);
    else if (final) this.refuse(fieldErrors, fieldErrors.length > 0 ? null : message);
    // The reply of a repetition, which may come after its time or after "Discard", begins nothing anew.
    else if (phase === "submitting") {
      this.#signal({ type: "failed", summary: message || null });
      if (key !== null && !this.#retry?.active) this.#retryLater();
      if (this.view.phase === "failed") this.#focusProblems();
    }
  }

  /** Send it again by and by, with the same key; meanwhile the card stays as it is. */
  #retryLater(): void {
    const { client, view } = this;
    const attempt = this.#attempt;
    const id = view.request?.id;
    if (!client || !attempt || !id) return;
    const send = (): void => {
      this.#calm = true;
      void this.#deliver(id, attempt);
    };
    this.#retry = draftStore?.retry(client, attempt, send, () => this.redraw());
  }

  #conflict(request: InputRequest): void {
    this.#signal({ type: "conflict", request });
    if (request.status === "pending") this.refuse([], this.say("changed"));
  }

  #focusProblems(): void {
    if (!this.#calm) this.focusOn("#problems");
  }

  #onKey(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.isComposing) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.submit();
    } else if (event.key === "Escape") this.#kind?.escape(event.composedPath()[0] as HTMLElement);
  }

  /** What could not be sent, whether it is sent again by itself, and the ways to do so now or not at all. */
  #drawFailed(attempt: Attempt, summary: string | null): Template {
    const { say, locale } = this;
    const { request } = this.view;
    const lines = [
      summary,
      this.#retry && say(this.#retry.active ? "drafts.waits" : "drafts.old"),
      request &&
        draftStore &&
        say("drafts.what", { what: draftStore.describe(request, attempt, say, locale) }),
    ];
    const retry = (): void => (attempt.whole ? this.submit() : this.#send(attempt.action, attempt.body));
    const discard = (): void => {
      this.#signal({ type: "discard" });
      this.focusOn("button");
    };
    return drawProblems(
      say("failed"),
      lines.flatMap((text) => (text ? [{ text }] : [])),
      html`<div class="actions retry">
        <button type="button" .onclick=${retry}>${say("retry")}</button>
        <button type="button" class="quiet" .onclick=${discard}>${say("discard")}</button>
      </div>`,
    );
  }

  #problems(): Template | string | false {
    const { say } = this;
    const attempt = this.#attempt;
    const { phase, summary, errors } = this.view;
    if (this.trouble) return this.trouble;
    if (phase === "failed" && attempt) return this.#drawFailed(attempt, summary);
    if (phase !== "error") return false;
    const open = errors.flatMap(({ path, message }): Problem[] => {
      const place = this.#kind?.placeOf(path);
      if (!place) return [{ text: message }];
      const text = place.label ? `${place.label}: ${message}` : message;
      return this.#mended.has(place.path) ? [] : [{ text, go: place.go }];
    });
    return (open.length > 0 || summary !== null) && drawProblems(summary ?? say("problem"), open);
  }

  #drawOpen(request: InputRequest): Template {
    const frame: Card = (
      body,
      lang,
    ) => html`<div class="card" part="card" role="group" aria-labelledby="asker">
      ${drawAsker(request, this.say, this.locale, !this.inThread, this.client?.now ?? Date.now())}
      <div class="body" lang=${lang}>${this.#problems()} ${body}</div>
      ${this.client?.link === "offline" && html`<p class="link">${icons.warn} ${this.say("stale")}</p>`}
    </div>`;
    return this.#kind?.drawOpen(request, frame) ?? frame(this.#drawUnknown());
  }

  #drawUnknown(): Template {
    const leave = () => this.send("decline", { reason: "dismissed" });
    return html`<p>${this.say("unknown_kind")}</p>
      <div class="actions">
        <button type="button" aria-disabled=${!isOpen(this.view)} .onclick=${leave}>${this.say("dismiss")}</button>
      </div>`;
  }

  #drawState(): Template {
    const { say, locale } = this;
    const { request } = this.view;
    const kind = this.#kind;
    if (!request) return html`<p class="card plain">${say("loading")}</p>`;
    if (!isTerminal(request.status)) return this.#drawOpen(request);
    const unused =
      this.view.origin === "here" && this.#attempt?.action === "answer" && request.status !== "answered";
    const unsent = ((unused || !this.#sent) && kind?.unsent(request)) || "";
    const settled = { request, say, locale, fate: this.#fate(request, unused), unsent };
    return html`${kind?.drawSettled(settled) || drawEnded(settled)}${this.#drawRefusal(request)}`;
  }

  /** Until when the same is not asked again, and the way back after a slip. */
  #drawRefusal({ id, refusal, level }: InputRequest): Template | false {
    const until = refusal ? Date.parse(refusal.until) : 0;
    if (this.readonly || !this.client?.post || level === "view" || until <= (this.client.now ?? Date.now()))
      return false;
    const time = when(new Date(until).toISOString(), this.locale);
    const text = this.say("remembered", { time });
    return this.#again.draw(id, text, this.say("ask_again"), this.say("asked_again"));
  }

  /** The catalogue's key of what became of what this person did, where the receipt does not say it by itself. */
  #fate({ status, settled_by }: InputRequest, unused: boolean): Fate | false {
    const { origin } = this.view;
    const own = !!this.#person && isSame(this.#person, settled_by);
    if (origin === "lost" && own) return "lost_self";
    if (unused || (origin === "lost" && ["cancelled", "expired"].includes(status))) return "unused";
    if (origin === "lost") return origin;
    return origin === "elsewhere" && own && status === "answered" && origin;
  }

  #announcement(): string {
    const { request, phase } = this.view;
    if (phase === "submitting") return this.say(underway(this.view));
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
