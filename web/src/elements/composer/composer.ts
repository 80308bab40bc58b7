import texts from "../../../../src/askback/messages/en.json?composer&texts" with { type: "json" };
import { WireError } from "../../client/errors.ts";
import { newKey } from "../../client/key.ts";
import { isSame, type Person, readOnlyReason } from "../../core/audience.ts";
import "../../core/events.ts";
import type { MessagePart, PostedMessage, ThreadRequest } from "../../core/generated/wire.ts";
import { isTerminal } from "../../core/lifecycle.ts";
import { addTexts } from "../../core/messages.ts";
import type { Transcript } from "../../core/transcript.ts";
import { html, type Template } from "../html.ts";
import { icons } from "../icons.ts";
import { draftStore } from "../loaddrafts.ts";
import { sendOrWarn } from "../secretwarning.ts";
import { composerStyles } from "./composer.css.ts";
import { explainMismatch, openRequests, predictOutcome, type Writer } from "./prediction.ts";
import { Stop, type StopHost } from "./stop.ts";

addTexts(texts);

const heldCount = ({ messages }: Transcript): number => messages.filter(({ held }) => held).length;

const ANSWER_FIRST_KINDS = "composer.answer_first";

/** The key of the sentence for each refusal; for all other errors the message could not be sent. */
const REFUSALS: Record<string, string> = {
  answer_first: ANSWER_FIRST_KINDS,
  thread_archived: "composer.archived",
};

/** Reasons for which a message answered nothing that the composer announced before, or that need no announcement. */
const UNANNOUNCED_REASONS = [
  "nothing_open",
  "several_open",
  "several_fields",
  "not_for_text",
  "not_an_option",
  "ambiguous",
];

/** The element of the conversation, as the composer uses it. */
export interface ComposerHost extends StopHost {
  /** The text in the box. */
  text: string;
  readonly readonly: boolean;
  /** The element of a request. */
  cardOf(request: ThreadRequest): HTMLElement;
}

/**
 * The box for messages, with a note about what a message will do and what it did.
 *
 * The server decides. A text stays in the box until it was accepted, even after the conversation was archived.
 */
export class Composer {
  #key: string | null = null;
  #sending = false;
  /** The text that was submitted while another was sent; what is typed after that is not submitted. */
  #queuedText = "";
  #me: Person | undefined;
  /** The card that has had the place of the box. */
  #card: HTMLElement | undefined;

  readonly #stop: Stop;

  constructor(private readonly host: ComposerHost) {
    this.#stop = new Stop(host);
    host.root.adoptedStyleSheets.push(composerStyles);
    host.text ||= draftStore?.readText(host.thread) ?? "";
    host.root.addEventListener("keydown", (event) => this.#holdEscape(event as KeyboardEvent), true);
    const { client } = host;
    client?.addEventListener("link", function heard() {
      if (host.isConnected) host.redraw();
      else client.removeEventListener("link", heard);
    });
    client?.whoami().then(
      ({ principal }) => {
        this.#me = principal;
        host.redraw();
      },
      () => {},
    );
  }

  get writer(): Writer {
    const { getText, locale } = this.host;
    return { getText, locale, me: this.#me };
  }

  /** The request that takes the place of the box: the oldest open one that asks for it, if this person may answer. */
  get openRequest(): ThreadRequest | undefined {
    const { client, readonly, transcript } = this.host;
    if (!client || readonly || !transcript || transcript.archived_at) return undefined;
    return transcript.requests.find(
      (item) =>
        item.presentation === "composer" &&
        !isTerminal(item.status) &&
        !item.queued_behind &&
        !readOnlyReason(item, this.#me),
    );
  }

  draw(thread: Transcript): Template | false {
    const { openRequest, host } = this;
    if (host.readonly) return false;
    const mayWrite = thread.access?.level !== "view";
    if (openRequest) {
      this.#card = host.cardOf(openRequest);
      return html`<div class="asked">${this.#card}</div>
        ${mayWrite && this.#stop.draw(thread)}${mayWrite && this.#drawTrouble()}`;
    }
    const { activeElement } = document;
    // The focus goes back to the box, unless the person is now busy elsewhere.
    if (this.#card && (activeElement === document.body || host.root.activeElement === this.#card))
      host.focusOn(".composer textarea");
    this.#card = undefined;
    if (thread.archived_at) return this.#drawClosed("composer.archived");
    if (!mayWrite) return !!host.text && this.#drawClosed("composer.read");
    if (!host.client) return false;
    return html`${this.#stop.draw(thread)}${this.#drawNote(thread)}
      <form class="composer" .onsubmit=${(event: Event) => this.#onSubmit(event)}>
        <label
          ><span class="hidden">${host.getText("composer.message")}</span
          ><textarea
            rows="1"
            aria-describedby="note"
            placeholder=${host.getText("composer.message")}
            .value=${host.text}
            .oninput=${(event: Event) => this.#onInput(event)}
            .onkeydown=${(event: KeyboardEvent) => this.#onKey(event)}
          ></textarea>
        </label>
        <button type="submit" class="primary">${host.getText("send")}</button>
      </form>
      ${this.#drawTrouble()}`;
  }

  #drawTrouble(): Template {
    const { client, getText, trouble } = this.host;
    const isNews = client?.link === "offline" && !client.showsLink;
    return html`${isNews && html`<div class="trouble">${icons.warn} ${getText("offline")}</div>`}
      <div class="trouble" role="alert">${trouble?.()}</div>`;
  }

  /** A request in place of the box stays until it is answered: Escape does not skip it. */
  #holdEscape(event: KeyboardEvent): void {
    if (event.key === "Escape" && (event.target as Element).closest(".asked")) event.stopPropagation();
  }

  /** The mark beside the author of a message that is held. */
  drawHeld(): Template {
    return html`<span class="waits"> · ${icons.clock} ${this.host.getText("composer.held")}</span>`;
  }

  #drawNote(thread: Transcript): Template | undefined {
    const { getText } = this.host;
    const words = predictOutcome(thread, this.writer);
    // The same sentence is shown below after a refusal.
    if (!words || words === this.host.trouble?.()) return undefined;
    const note = thread.free_text === "block_input" && html`<p>${getText("composer.stays")}</p>`;
    return html`<div class="note" id="note"><p>${words}</p>${note}</div>`;
  }

  /** The note in place of the box when nothing can be sent. */
  #drawClosed(reasonKey: string): Template {
    const { getText, text } = this.host;
    const unsentText = html`<label>${getText("composer.typed")}<textarea rows="1" readonly .value=${text}></textarea></label>`;
    return html`<div class="note closed" id="note" tabindex="-1">
      <p>${getText(reasonKey)}</p>
      ${text && unsentText}
    </div>`;
  }

  /** Return the announcement for screen readers when the conversation changes to `next`. */
  follow(before: Transcript, next: Transcript): string | undefined {
    const { host } = this;
    if (!this.#sending && this.#hasArrived(before, next)) this.#replace("");
    // A message that was refused because of an open request can be sent now.
    if (host.trouble?.() === host.getText(ANSWER_FIRST_KINDS) && openRequests(next).length === 0)
      host.trouble = undefined;
    if (!before.archived_at !== !next.archived_at) {
      if (next.archived_at && host.root.activeElement?.closest(".composer")) host.focusOn("#note");
      return host.getText(next.archived_at ? "composer.archived" : "composer.unarchived");
    }
    const more = heldCount(next) - heldCount(before);
    return more === 0
      ? this.#stop.follow(before, next)
      : host.getText(more > 0 ? "composer.queue" : "composer.delivered");
  }

  /** Whether the text in the box has just arrived: it was sent in another tab, or the reply was lost. */
  #hasArrived({ seq }: Transcript, { messages }: Transcript): boolean {
    const me = this.#me;
    const text = this.host.text.trim();
    const isText = (part: MessagePart) => part.type === "text" && part.text === text;
    return messages.some(
      (message) => message.seq > seq && !!me && isSame(me, message.author) && message.content.some(isText),
    );
  }

  /** Send the text, but ask first if it looks like a secret, or like an answer that the form does not accept. */
  #submit(text = this.host.text): void {
    const { host } = this;
    const { transcript } = host;
    if (!text.trim()) return;
    const send = () => void sendOrWarn(host, text, () => void this.#send(text));
    const explain = () => transcript && explainMismatch(transcript, text, this.writer);
    if (explain())
      host.trouble = () => html`<div class="ask">
        <span>${explain()} ${host.getText("composer.no_answer")}</span>
        <button type="button" class="quiet" .onclick=${send}>${host.getText("composer.anyway")}</button>
      </div>`;
    else send();
  }

  async #send(text: string): Promise<void> {
    const { host } = this;
    if (!host.client) return;
    if (this.#sending) {
      this.#queuedText = text;
      return;
    }
    this.#sending = true;
    this.#key ??= newKey();
    host.trouble = undefined;
    try {
      const path = `/v1/threads/${encodeURIComponent(host.thread)}/messages`;
      const content = [{ type: "text", text: text.trim() }];
      const { why } = await host.client.post<PostedMessage>(path, { content }, this.#key);
      this.#key = null;
      // Text that was typed while the message was sent stays.
      if (host.text.startsWith(text)) this.#removeSent(text);
      if (this.#queuedText.startsWith(text)) this.#queuedText = this.#queuedText.slice(text.length);
      if (why && !UNANNOUNCED_REASONS.includes(why))
        host.trouble = () => html`<span class="ask">${host.getText("composer.unanswered")}</span>`;
    } catch (error) {
      this.#queuedText = "";
      const code = error instanceof WireError ? error.code : "";
      host.trouble = () => host.getText(REFUSALS[code] ?? "composer.failed");
    } finally {
      this.#sending = false;
    }
    const queuedText = this.#queuedText;
    this.#queuedText = "";
    this.#submit(queuedText);
  }

  #onSubmit(event: Event): void {
    event.preventDefault();
    this.#submit();
  }

  #onInput(event: Event): void {
    this.#replace((event.target as HTMLTextAreaElement).value);
  }

  #replace(text: string): void {
    const { host } = this;
    host.text = text;
    draftStore?.writeText(host.thread, text);
    host.trouble = undefined;
    this.#key = null;
  }

  /** Remove a sent text from the box, and from the draft unless another tab has stored a later one. */
  #removeSent(sentText: string): void {
    const { host } = this;
    const isStored = draftStore?.readText(host.thread) === host.text;
    host.text = host.text.slice(sentText.length);
    if (isStored) draftStore?.writeText(host.thread, host.text);
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) this.#onSubmit(event);
  }
}
