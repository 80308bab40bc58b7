import { Client } from "../client/client.ts";
import { followThread } from "../client/follow-thread.ts";
import type { InputRequest, ThreadRequest } from "../core/generated/wire.ts";
import { type Entry, entries, type Transcript } from "../core/transcript.ts";
import type { Chat, ChatHost } from "./chat/chat.ts";
import type { Composer, ComposerHost } from "./composer/composer.ts";
import { AskbackElement, type ChangedProperties, drawList } from "./element.ts";
import type { SettledEvent } from "./events.ts";
import { html, render, type Template } from "./html.ts";
import { loadKinds } from "./kinds.ts";
import { endAnnouncement, questionOf } from "./labels.ts";
import { loadDraftStore } from "./loaddrafts.ts";
import type { AskbackRequest } from "./request.ts";
import { conversationStyles } from "./thread.css.ts";
import { buttonStyles, tokenStyles } from "./tokens.css.ts";

/** Whether somebody can answer it now. */
const isAsked = ({ status, queued_behind }: InputRequest): boolean => status === "pending" && !queued_behind;

/**
 * A conversation as it streams, with each request at the place that asked.
 *
 * @tag askback-thread
 * @attr thread - the id of the conversation
 * @attr readonly - shows the conversation without letting anybody answer or write
 * @attr modal - asks for approvals in a dialog, one after the other
 * @fires askback-thread - another state of the conversation is shown: see `transcript`, which has its `title`
 */
export class AskbackThread extends AskbackElement implements ComposerHost, ChatHost {
  static override styles = [tokenStyles, buttonStyles, conversationStyles];
  static override properties = {
    thread: "",
    modal: false,
    readonly: false,
    client: undefined,
    transcript: undefined,
    missing: false,
    text: "",
    trouble: undefined,
    news: "",
  };

  declare thread: string;
  declare modal: boolean;
  declare readonly: boolean;
  declare client: Client | undefined;
  /** The conversation as far as it is read; a host without a server may set it. */
  declare transcript: Transcript | undefined;
  declare missing: boolean;
  declare text: string;
  /** Why what was typed is not sent. */
  declare trouble: (() => string | Template) | undefined;
  declare news: string;

  #stop: (() => void) | undefined;
  #coming: Transcript | undefined;
  /** One element for each request: it moves with what is typed into it when the place that asked comes later. */
  readonly #cards = new Map<string, AskbackRequest>();
  /** Where somebody writes, once it is fetched: it is not needed to show a question and to answer it. */
  #composer: Composer | undefined;
  /** How it looks, once that is fetched; until then there are texts and cards. */
  #chat: Chat | undefined;
  #entries: readonly Entry[] = [];
  #shown: readonly Entry[] = [];
  /** Whether the person came into a card from where messages are written. */
  #wrote = false;

  constructor() {
    super();
    this.addEventListener("askback-settled", (event) => this.#settled(event));
    this.root.addEventListener("focusin", ({ target }) => {
      const place = target as HTMLElement;
      if (place.localName !== "askback-request") this.#wrote = place.matches(".composer textarea");
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#chat?.reading.disconnect();
    this.#stop?.();
    this.#stop = undefined;
  }

  #begin(): void {
    this.#stop?.();
    this.#coming = undefined;
    if (!this.thread) return;
    this.client ??= Client.shared;
    this.#stop = followThread(
      this.client,
      this.thread,
      (transcript) => void this.#show(transcript),
      () => {
        this.missing = true;
      },
      this.readonly,
    );
  }

  /** Show it as soon as all of it can be drawn, so that nothing moves when a part comes later. */
  async #show(next: Transcript): Promise<void> {
    this.#coming = next;
    await Promise.all([loadKinds(next.requests), this.#furnish().then(() => this.#chat?.prepare(next))]);
    // Later events are shown already, or will be.
    if (next !== this.#coming) return;
    const before = this.transcript;
    const known = new Set(before?.requests.filter(isAsked).map(({ id }) => id));
    const fresh = next.requests.findLast((request) => isAsked(request) && !known.has(request.id));
    const more = before && this.#composer?.follow(before, next);
    const news =
      before && fresh ? this.getText("new_question", { title: questionOf(fresh, this.locale) }) : more;
    this.transcript = next;
    // After what the cards say that end with the same transcript.
    if (news) setTimeout(() => (this.news = news));
    this.dispatchEvent(new Event("askback-thread"));
  }

  /** Fetch how it looks and where somebody writes; it never rejects, and the next call tries again. */
  async #furnish(): Promise<void> {
    if (this.#composer) return;
    try {
      const [chat, composer] = await Promise.all([
        import("./chat/chat.ts"),
        import("./composer/composer.ts"),
        loadDraftStore(this.client),
      ]);
      this.#chat ??= new chat.Chat(this, isAsked);
      this.#composer ??= new composer.Composer(this);
      this.redraw();
    } catch {
      // The conversation can be read, and its questions answered.
    }
  }

  /** Say how it ended, and give the focus back to the composer if it was in the card. */
  #settled(event: SettledEvent): void {
    // That the conversation is archived says it of all that was open.
    if (this.transcript?.archived_at) return;
    const request = this.transcript?.requests.find((item) => item.id === event.id);
    if (request) this.news = endAnnouncement(request, event.status, this);
    if (event.own && this.#wrote) this.focusOn(".composer textarea");
  }

  protected override willUpdate(changed: ChangedProperties): void {
    if (changed.has("thread") || changed.has("readonly") || !this.#stop) this.#begin();
    void this.#furnish();
    this.#chat?.reading.beforeDraw();
    this.#entries = this.transcript ? entries(this.transcript, this.#composer?.openRequest?.id) : [];
    this.#shown = this.#chat?.visible(this.#entries) ?? this.#entries;
  }

  protected override updated(): void {
    const list = this.root.querySelector(".messages");
    if (!list) return;
    drawList(list, this.#shown, (entry, place) => this.#drawEntry(entry, place));
    this.#chat?.reading.watch(list);
    this.#chat?.reading.afterDraw(...this.#chat.countNew(this.#entries));
  }

  /** The element of a request; it moves with what is typed into it. */
  cardOf(request: ThreadRequest): AskbackRequest {
    const card = this.#cards.get(request.id) ?? document.createElement("askback-request");
    this.#cards.set(request.id, card);
    card.toggleAttribute("asked", !!this.#chat?.waits(request));
    const { client, modal, readonly, transcript } = this;
    return Object.assign(card, {
      client,
      request,
      modal,
      readonly,
      around: transcript?.requests,
      quiet: true,
      inThread: true,
      headingLevel: 2,
    });
  }

  #drawEntry(entry: Entry, place: HTMLElement): void {
    const chat = this.#chat;
    const held = entry.type === "message" && entry.message.held && this.#composer?.drawHeld();
    if (chat) place.className = chat.lookOf(entry);
    render(html`${chat?.drawHead(entry, held)}<div class="parts"></div>`, place);
    const parts = entry.type === "message" ? entry.parts : [entry];
    const identifiedParts = chat?.identify(parts) ?? parts.map((part, at) => ({ id: `${at}`, part }));
    drawList(place.querySelector(".parts"), identifiedParts, (named, child) => {
      const { part } = named;
      if (part.type === "request") render(part.request && this.cardOf(part.request), child);
      else render(chat ? chat.drawPart(named, entry) : part.type === "text" && part.text, child);
    });
  }

  protected override render(): Template {
    if (this.missing) return html`<p class="none">${this.getText("gone")}</p>`;
    if (!this.transcript) return html`<p class="none">${this.getText("loading")}</p>`;
    const { messages, requests, seq } = this.transcript;
    return html`<p class="none" hidden=${messages.length + requests.length > 0}>${this.#chat?.noneText(seq, this.thread)}</p>
      ${this.#chat?.drawBefore()}
      <ol class="messages"></ol>
      <div class="foot">${this.#chat?.drawJumps(requests)}${this.#composer?.draw(this.transcript)}</div>
      <div class="hidden" role="status">${this.news}</div>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "askback-thread": AskbackThread;
  }
}
