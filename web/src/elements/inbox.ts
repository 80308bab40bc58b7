import { Client } from "../client/client.ts";
import { followInbox } from "../client/follow-inbox.ts";
import { audience, type Person, readOnlyReason } from "../core/audience.ts";
import type { InputRequest } from "../core/generated/wire.ts";
import { DenyAll } from "./approval/denyall.ts";
import { escapeText } from "./approval/escapes.ts";
import { AskbackElement, type Changed, drawList } from "./element.ts";
import { html, render, type Template } from "./html.ts";
import { draw, icons } from "./icons.ts";
import { list } from "./inbox.css.ts";
import { needsTexts } from "./localtexts.ts";
import { tick } from "./marks.ts";
import { questionOf } from "./show.ts";
import { when } from "./text.ts";
import { buttons, tokens } from "./tokens.css.ts";

const CALL = draw("M12 3l8 3v6c0 4.5-3.4 7.7-8 9-4.6-1.3-8-4.5-8-9V6zM9 12l2.2 2.2L15.5 10");
const KEY = draw("M14.5 3a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M10 14l-7 7M5 19l2 2M16.5 7.5v.01");
const EYE = draw("M3 12s3.5-6 9-6 9 6 9 6-3.5 6-9 6-9-6-9-6M12 10a2 2 0 1 0 0 4 2 2 0 0 0 0-4");
const ASK = draw(
  "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M9.5 9.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1 1-1.1 1.8M12 16.5v.01",
);

/** How many requests wait; fired on every change. */
export class WaitingEvent extends Event {
  static readonly type = "askback-waiting";
  constructor(readonly count: number) {
    super(WaitingEvent.type, { bubbles: true, composed: true });
  }
}

/**
 * Everything that waits for this person, over all threads, newest first.
 *
 * @tag askback-inbox
 * @attr base - put before the links, which go to `/r/{id}`
 * @fires askback-waiting - the number of open requests
 */
export class AskbackInbox extends AskbackElement {
  static override styles = [tokens, buttons, list];
  static override properties = { client: undefined, requests: undefined, me: undefined, base: "", news: "" };

  declare client: Client | undefined;
  /** What waits; a host without a server may set it. */
  declare requests: readonly InputRequest[] | undefined;
  /** Who is signed in, once that is known. */
  declare me: Person | undefined;
  declare base: string;
  declare news: string;

  #stop: (() => void) | undefined;
  readonly #all = new DenyAll(this, "h1");

  override connectedCallback(): void {
    super.connectedCallback();
    if (!this.requests) this.client ??= Client.shared;
    this.client?.whoami?.().then(
      ({ principal }) => {
        this.me = principal;
      },
      () => {},
    );
    if (this.requests) return;
    if (this.client instanceof Client)
      this.#stop = followInbox(this.client, (requests) => void this.#show(requests));
  }

  disconnectedCallback(): void {
    this.#stop?.();
  }

  async #show(requests: InputRequest[]): Promise<void> {
    if (requests.some(needsTexts)) await import("./texts/texts.ts").catch(() => {});
    const known = new Set(this.requests?.map((request) => request.id));
    const fresh = requests.find((request) => !known.has(request.id));
    if (this.requests && fresh && !readOnlyReason(fresh, this.me))
      this.news = this.say("new_question", { title: questionOf(fresh) });
    this.requests = requests;
  }

  protected override updated(changed: Changed): void {
    drawList(this.root.querySelector(".list"), this.requests ?? [], (request, place) =>
      render(this.#drawItem(request), place),
    );
    if ((changed.has("requests") || changed.has("me")) && this.requests)
      this.dispatchEvent(new WaitingEvent(this.#mine().length));
  }

  /** Those that this person may answer. */
  #mine(): readonly InputRequest[] {
    return (this.requests ?? []).filter(
      (request) => request.status === "pending" && !readOnlyReason(request, this.me),
    );
  }

  /** For whom a request is that this person can but read. */
  #drawHindrance(request: InputRequest): Template | false {
    const why = readOnlyReason(request, this.me);
    if (!why) return false;
    const words = { for: "inbox_for", view: "inbox_read", excluded: "inbox_excluded" } as const;
    return html`<span class="read">${EYE} ${this.say(words[why], { names: audience(request) })}</span>`;
  }

  #drawItem(request: InputRequest): Template {
    const { approval, secret } = request;
    const danger = approval?.risk?.level === "danger";
    return html`<a href=${this.#linkOf(request)}
        >${approval ? CALL : secret ? KEY : ASK}<span class="what"
          ><b>${this.#titleOf(request)}</b
          ><span class="meta"
            >${this.#drawHindrance(request)}${request.status === "resolving" && html`<span>${icons.clock} ${this.say("checking")}</span>`}${danger && html`<span class="danger-mark">${icons.warn} ${this.say("approvals.danger")}</span>`}${secret && html`<span>${this.say("secrets.needed")}</span>`}<bdi
              >${request.agent?.name ?? request.requester?.name ?? ""}</bdi
            ><bdi>${request.thread_id}</bdi><span>${when(request.created_at, this.locale)}</span></span
          ></span
        ></a
      >`;
  }

  #titleOf(request: InputRequest): Template | string {
    const { approval, secret } = request;
    const count = secret?.count;
    if (count) return this.say(count === 1 ? "secrets.one" : "secrets.many", { count });
    const question = questionOf(request);
    return approval || secret ? html`<code>${escapeText(question)}</code>` : question;
  }

  #linkOf({ id }: InputRequest): string {
    return `${this.base}/r/${encodeURIComponent(id)}`;
  }

  protected override render(): Template {
    const mine = this.#mine();
    const oldest = mine.at(-1);
    const title = oldest ? this.say("inbox_count", { count: mine.length }) : this.say("inbox");
    const none = this.requests
      ? html`<div class="none">${tick}<b>${this.say("inbox_empty")}</b>${this.say("inbox_hint")}</div>`
      : html`<p class="none">${this.say("loading")}</p>`;
    return html`<div class="top">
        <h1 tabindex="-1">${title}</h1>
        ${oldest && mine.length > 1 && html`<a href=${this.#linkOf(oldest)}>${this.say("inbox_oldest")}</a>`}
        ${this.#all.drawButton(mine)}
      </div>
      ${this.#all.drawQuestion()} ${this.requests?.length ? html`<ul class="list"></ul>` : none}
      <div class="hidden" role="status">${this.news}</div>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "askback-inbox": AskbackInbox;
  }
  interface HTMLElementEventMap {
    "askback-waiting": WaitingEvent;
  }
}
