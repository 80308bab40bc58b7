import { Client } from "../client/client.ts";
import { followThread } from "../client/follow-thread.ts";
import type { InputRequest, ThreadRequest } from "../core/generated/wire.ts";
import { type Entry, entries, type Part, type Transcript } from "../core/transcript.ts";
import type { Composer, ComposerHost } from "./composer/composer.ts";
import { loadDraftStore } from "./draftstore.ts";
import { AskbackElement, type Changed, drawList } from "./element.ts";
import type { SettledEvent } from "./events.ts";
import { html, render, type Template } from "./html.ts";
import { loadKinds } from "./kinds.ts";
import type { AskbackRequest } from "./request.ts";
import { questionOf } from "./show.ts";
import { conversation } from "./thread.css.ts";
import { buttons, tokens } from "./tokens.css.ts";

/** Whether somebody can answer it now. */
const isAsked = ({ status, queued_behind }: InputRequest): boolean => status === "pending" && !queued_behind;

/** How far from the end of the page still counts as reading along. */
const NEAR_PX = 120;

/**
 * A conversation as it streams, with each request at the place that asked.
 *
 * @tag askback-thread
 * @attr thread - the id of the conversation
 * @attr readonly - shows the conversation without letting anybody answer or write
 * @attr modal - asks for approvals in a dialog, one after the other
 * @fires askback-thread - another state of the conversation is shown: see `transcript`, which has its `title`
 */
export class AskbackThread extends AskbackElement implements ComposerHost {
  static override styles = [tokens, buttons, conversation];
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
  declare trouble: string | Template | undefined;
  declare news: string;

  #stop: (() => void) | undefined;
  #coming: Transcript | undefined;
  /** One element for each request: it moves with what is typed into it when the place that asked comes later. */
  readonly #cards = new Map<string, AskbackRequest>();
  /** Where somebody writes, once it is fetched: it is not needed to show a question and to answer it. */
  #composer: Composer | undefined;
  /** What draws pictures and tool calls, once a message has one. */
  #blocks: typeof import("./blocks/blocks.ts") | undefined;
  #follow = false;
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

  disconnectedCallback(): void {
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
    await Promise.all([loadKinds(next.requests), this.#furnish(), this.#loadBlocks(next)]);
    // What came in the meantime is later, and will be shown or is already.
    if (next !== this.#coming) return;
    const before = this.transcript;
    const known = new Set(before?.requests.filter(isAsked).map(({ id }) => id));
    const fresh = next.requests.findLast((request) => isAsked(request) && !known.has(request.id));
    const more = before && this.#composer?.follow(before, next);
    const news = before && fresh ? this.say("new_question", { title: questionOf(fresh) }) : more;
    this.transcript = next;
    // After what the cards say that end with the same transcript.
    if (news) setTimeout(() => (this.news = news));
    this.dispatchEvent(new Event("askback-thread"));
  }

  async #loadBlocks({ messages }: Transcript): Promise<void> {
    if (this.#blocks || !messages.some(({ content }) => content.some(({ type }) => type !== "text"))) return;
    const part = await import("./blocks/blocks.ts").catch(() => undefined);
    if (!part || this.#blocks) return;
    this.#blocks = part;
    part.dress(this.root);
    this.redraw();
  }

  /** Fetch where somebody writes; it never rejects, and the next call tries again. */
  async #furnish(): Promise<void> {
    if (this.#composer) return;
    try {
      const [part] = await Promise.all([import("./composer/composer.ts"), loadDraftStore(this.client)]);
      this.#composer ??= new part.Composer(this);
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
    const key = event.status === "answered" ? "done_answered" : "done_ended";
    if (request) this.news = this.say(key, { title: questionOf(request) });
    if (event.own && this.#wrote) this.focusOn(".composer textarea");
  }

  protected override willUpdate(changed: Changed): void {
    if (changed.has("thread") || changed.has("readonly") || !this.#stop) this.#begin();
    void this.#furnish();
    if (changed.has("transcript") && this.transcript) void this.#loadBlocks(this.transcript);
    const page = document.documentElement;
    this.#follow = page.scrollHeight - page.scrollTop - page.clientHeight < NEAR_PX;
  }

  protected override updated(changed: Changed): void {
    const list = this.root.querySelector("ol");
    if (this.transcript)
      drawList(list, entries(this.transcript, this.#composer?.asked?.id), (entry, place) =>
        this.#drawEntry(entry, place),
      );
    if (changed.has("transcript") && this.#follow) void this.#toEnd();
  }

  /**
   * Keep reading along, unless the person is typing into a card: their place must not move.
   * The beginning of what waits for an answer stays in view.
   */
  async #toEnd(): Promise<void> {
    const cards = [...this.root.querySelectorAll("askback-request")];
    await Promise.all(cards.map((card) => card.updateComplete));
    const open = cards.filter(({ request }) => request && isAsked(request));
    if (open.some((card) => card === this.root.activeElement)) return;
    const last = open.at(-1);
    if (last && last.getBoundingClientRect().top > 0) last.scrollIntoView();
    else document.documentElement.scrollTop = document.documentElement.scrollHeight;
  }

  /** The element of a request; it moves with what is typed into it. */
  cardOf(request: ThreadRequest): AskbackRequest {
    const card = this.#cards.get(request.id) ?? document.createElement("askback-request");
    this.#cards.set(request.id, card);
    const { client, modal, readonly, transcript } = this;
    const around = transcript?.requests;
    return Object.assign(card, {
      client,
      request,
      modal,
      readonly,
      around,
      quiet: true,
      inThread: true,
      headingLevel: 2,
    });
  }

  #drawPart(part: Part): unknown {
    switch (part.type) {
      case "text":
        return part.text && html`<div class="text">${part.text}</div>`;
      case "request":
        return part.request && this.cardOf(part.request);
      default:
        return this.#blocks?.drawBlock(part, this);
    }
  }

  #drawEntry(entry: Entry, place: HTMLElement): void {
    const message = entry.type === "message" ? entry.message : undefined;
    if (message) place.className = message.role;
    const author = message && (message.author?.name ?? this.say(message.role === "user" ? "you" : "agent"));
    const name = [author, message?.agent?.name].filter(Boolean).join(" · ");
    render(
      html`${name && html`<span class="who">${name}${message?.held && this.#composer?.drawHeld()}</span>`}<div class="parts"></div>`,
      place,
    );
    const parts = (entry.type === "message" ? entry.parts : [entry]).map((part, at) => ({
      id: part.type === "request" ? part.id : `${part.type}${at}`,
      part,
    }));
    drawList(place.querySelector(".parts"), parts, ({ part }, child) => render(this.#drawPart(part), child));
  }

  protected override render(): Template {
    if (this.missing) return html`<p class="none">${this.say("gone")}</p>`;
    if (!this.transcript) return html`<p class="none">${this.say("loading")}</p>`;
    const { messages, requests, seq } = this.transcript;
    const none = this.say(seq > 0 ? "thread_empty" : "thread_none", { name: this.thread });
    return html`<p class="none" hidden=${messages.length + requests.length > 0}>${none}</p>
      <ol></ol>
      ${this.#composer?.draw(this.transcript)}
      <div class="hidden" role="status">${this.news}</div>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "askback-thread": AskbackThread;
  }
}
