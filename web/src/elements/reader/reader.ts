import texts from "../../../../src/askback/messages/en.json?reader&texts" with { type: "json" };
import { newKey } from "../../client/key.ts";
import { audience, type Person, readOnlyReason } from "../../core/audience.ts";
import type { FieldError, InputRequest } from "../../core/generated/wire.ts";
import { isTerminal } from "../../core/lifecycle.ts";
import { isOpen, type View } from "../../core/machine.ts";
import type { Locale } from "../../core/messages.ts";
import { addTexts } from "../../core/messages.ts";
import type { Action, Body } from "../events.ts";
import { html, type Template } from "../html.ts";
import { icons } from "../icons.ts";
import type { BodyFactory, Card, ErrorTarget, Host, Kind, Sender } from "../kind.ts";
import { questionOf } from "../labels.ts";
import type { SettledRequest } from "../receipt/settled.ts";
import type { GetText } from "../text.ts";

addTexts(texts);

/** The element as a kind sees it: closed, and with words of its own for that, as long as `why` has any. */
class ClosedHost implements Host {
  readonly root: ShadowRoot;

  constructor(
    private readonly host: Host,
    private readonly blockedReason: () => string | undefined,
  ) {
    this.root = host.root;
  }

  get view(): View {
    const { view } = this.host;
    return this.blockedReason() ? { ...view, interactive: false } : view;
  }

  get getText(): GetText {
    return (key, params) => (key === "disabled" && this.blockedReason()) || this.host.getText(key, params);
  }

  get client(): Sender | undefined {
    return this.host.client;
  }

  get locale(): Locale {
    return this.host.locale;
  }

  get headingLevel(): number | string {
    return this.host.headingLevel;
  }

  get modal(): boolean {
    return this.host.modal;
  }

  get around(): readonly InputRequest[] | undefined {
    return this.host.around;
  }

  redraw(): void {
    this.host.redraw();
  }

  focusOn(selector: string): void {
    this.host.focusOn(selector);
  }

  send(action: Action, body: Body, makeBody?: BodyFactory): void {
    this.host.send(action, body, makeBody);
  }

  refuse(errors: readonly FieldError[]): void {
    this.host.refuse(errors);
  }

  errorAt(path: string): string | undefined {
    return this.host.errorAt(path);
  }

  clearError(path: string): void {
    this.host.clearError(path);
  }
}

/**
 * A request of which it matters who sees it, and when: not everybody may answer, or nobody yet, or its clock begins when
 * somebody sees it who may. For them it is its kind, and nothing else; for others it shows what is asked, and for whom.
 * In line it is one quiet line, until its turn comes.
 */
class Reader implements Kind {
  readonly inner: Kind;
  #request: InputRequest | undefined;
  #me: Person | undefined;
  /** Until it is known who is signed in, nobody may answer what is for some. */
  #isReaderUnknown = false;
  /** Whether the server knows that a person who may answer has seen the request, which starts its timeout. */
  #isIntroduced = false;

  constructor(
    private readonly host: Host,
    Inner: new (host: Host) => Kind,
  ) {
    this.inner = new Inner(new ClosedHost(host, () => this.#blockedReason()));
    const asked = host.client?.whoami?.();
    this.#isReaderUnknown = !!asked;
    asked?.then(
      ({ principal }) => {
        this.#me = principal;
        this.#isReaderUnknown = false;
        host.redraw();
      },
      () => {},
    );
  }

  /** Why this person may not answer, in words. */
  #blockedReason(): string | undefined {
    const { getText } = this.host;
    const request = this.#request;
    if (!request) return undefined;
    if (request.queued_behind) return this.#queueText(request);
    const readOnlyCause = readOnlyReason(request, this.#me) ?? (this.#isReaderUnknown ? "for" : undefined);
    if (readOnlyCause === "excluded") return getText("reader.excluded");
    if (readOnlyCause !== "for") return readOnlyCause && getText("reader.view");
    return getText("reader.for", { names: audience(request) });
  }

  /** Its place in the queue, in words. */
  #queueText({ id, exclusive_key, requester }: InputRequest): string {
    const { around = [], getText, locale } = this.host;
    const earlierRequests = around.slice(
      0,
      around.findIndex((item) => item.id === id),
    );
    const nextRequest = earlierRequests.findLast(
      (item) =>
        !isTerminal(item.status) &&
        item.exclusive_key === exclusive_key &&
        item.requester?.id === requester?.id,
    );
    return nextRequest
      ? getText("reader.after", { title: questionOf(nextRequest, locale) })
      : getText("reader.queued");
  }

  adopt(request: InputRequest): void {
    this.#request = request;
    this.inner.adopt(request);
  }

  drawOpen(request: InputRequest, card: Card): Template {
    if (!request.queued_behind) return this.inner.drawOpen(request, card);
    return html`<div class="card plain" part="card" tabindex="-1">
      ${icons.clock}
      <div>
        <p><strong>${questionOf(request, this.host.locale)}</strong></p>
        <p class="by">${this.#queueText(request)}</p>
      </div>
    </div>`;
  }

  drawSettled(settled: SettledRequest): Template | undefined {
    return this.inner.drawSettled(settled);
  }

  afterDraw(request: InputRequest): void {
    this.inner.afterDraw?.(request);
    if (request.timeout_from !== "shown" || request.shown_at || this.#isIntroduced || this.#blockedReason())
      return;
    if (!isOpen(this.host.view)) return;
    this.#isIntroduced = true;
    void this.host.client?.post?.(`/v1/requests/${request.id}/shown`, {}, newKey()).catch(() => {});
  }

  submit(): void {
    if (!this.#blockedReason()) this.inner.submit();
  }

  escape(target: HTMLElement): void {
    if (!this.#blockedReason()) this.inner.escape(target);
  }

  errorTarget(path: string): ErrorTarget | undefined {
    return this.inner.errorTarget(path);
  }

  unsentText(request: InputRequest): string {
    return this.#blockedReason() ? "" : this.inner.unsentText(request);
  }
}

/** A kind that `Reader` wraps. */
const withReader = (Inner: new (host: Host) => Kind) =>
  class extends Reader {
    constructor(host: Host) {
      super(host, Inner);
    }
  };

export const mixins = { reader: withReader };
