import "./texts.ts";
import { WireError } from "../../client/errors.ts";
import { newKey } from "../../client/key.ts";
import type { Transcript } from "../../core/transcript.ts";
import type { Actor } from "../../core/wire.ts";
import { sendOrDoubt } from "../doubts.ts";
import { html, type Template } from "../html.ts";
import { icons } from "../icons.ts";
import { keep } from "../keep.ts";
import type { AskbackThread } from "../thread.ts";
import { composing } from "./composer.css.ts";
import { foretell, mismatch, openIn, type Told } from "./foretell.ts";

const heldIn = ({ messages }: Transcript): number => messages.filter(({ held }) => held).length;

const ANSWER_FIRST = "composer.answer_first";

/** Why a message was not taken, by the code of the refusal; all else could not be sent. */
const REFUSALS: Record<string, string> = {
  answer_first: ANSWER_FIRST,
  thread_archived: "composer.archived",
};

/** What was said before it was sent, or was no promise: nothing needs to be said of it afterwards. */
const SILENT = [
  "nothing_open",
  "several_open",
  "several_fields",
  "not_for_text",
  "not_an_option",
  "ambiguous",
];

/**
 * Where somebody writes into a conversation, which says before and after what becomes of that.
 *
 * The server decides; what was typed stays until it was taken, also when there is nowhere to send it any more.
 */
export class Composer {
  #key: string | null = null;
  #sending = false;
  #again = false;
  #me: Actor | undefined;

  constructor(private readonly host: AskbackThread) {
    host.root.adoptedStyleSheets.push(composing);
    host.text ||= keep?.readText(host.thread) ?? "";
    host.client?.addEventListener("link", () => host.redraw());
    host.client?.whoami().then(
      ({ principal }) => {
        this.#me = principal;
        host.redraw();
      },
      () => {},
    );
  }

  get #told(): Told {
    const { say, locale } = this.host;
    return { say, locale, me: this.#me };
  }

  draw(thread: Transcript): Template | false {
    const { host } = this;
    if (thread.archived_at) return this.#drawClosed("composer.archived");
    if (thread.access?.level === "view") return !!host.text && this.#drawClosed("composer.read");
    if (!host.client) return false;
    return html`${this.#drawNote(thread)}
      <form class="composer" .onsubmit=${(event: Event) => this.#onSubmit(event)}>
        <label
          ><span class="hidden">${host.say("composer.message")}</span
          ><textarea
            rows="1"
            aria-describedby="note"
            placeholder=${host.say("composer.message")}
            .value=${host.text}
            .oninput=${(event: Event) => this.#type(event)}
            .onkeydown=${(event: KeyboardEvent) => this.#onKey(event)}
          ></textarea>
        </label>
        <button type="submit" class="primary">${host.say("send")}</button>
      </form>
      ${host.client.link === "offline" && html`<div class="trouble">${icons.warn} ${host.say("offline")}</div>`}
      <div class="trouble" role="alert">${host.trouble}</div>`;
  }

  /** What stands beside the name of who wrote a message that is held. */
  drawHeld(): Template {
    return html`<span class="waits"> · ${icons.clock} ${this.host.say("composer.held")}</span>`;
  }

  #drawNote(thread: Transcript): Template | undefined {
    const { say } = this.host;
    const words = foretell(thread, this.#told);
    // Once it was refused for that reason, that stands below.
    if (!words || words === this.host.trouble) return undefined;
    const stays = thread.free_text === "block_input" && html`<p>${say("composer.stays")}</p>`;
    return html`<div class="note" id="note"><p>${words}</p>${stays}</div>`;
  }

  /** There is nowhere to send it any more. */
  #drawClosed(why: string): Template {
    const { say, text } = this.host;
    const typed = html`<label>${say("composer.typed")}<textarea rows="1" readonly .value=${text}></textarea></label>`;
    return html`<div class="note closed" id="note" tabindex="-1">
      <p>${say(why)}</p>
      ${text && typed}
    </div>`;
  }

  /** What is new for somebody who does not see the page, when the conversation goes on to `next`. */
  follow(before: Transcript, next: Transcript): string | undefined {
    const { host } = this;
    // What was refused because of what was open can be sent now.
    if (host.trouble === host.say(ANSWER_FIRST) && openIn(next).length === 0) host.trouble = undefined;
    if (!before.archived_at !== !next.archived_at) {
      if (next.archived_at && host.root.activeElement?.closest(".composer")) host.focusOn("#note");
      return host.say(next.archived_at ? "composer.archived" : "composer.unarchived");
    }
    const more = heldIn(next) - heldIn(before);
    return more === 0 ? undefined : host.say(more > 0 ? "composer.queue" : "composer.delivered");
  }

  /** Send what was typed, but ask first about what looks like a secret, or was meant as an answer and is none. */
  #submit(): void {
    const { text, transcript, say } = this.host;
    if (!text.trim()) return;
    const send = () => void sendOrDoubt(this.host, text, () => void this.#send(text));
    const why = transcript && mismatch(transcript, text, this.#told);
    if (why)
      this.host.trouble = html`<div class="ask">
        <span>${why} ${say("composer.no_answer")}</span>
        <button type="button" class="quiet" .onclick=${send}>${say("composer.anyway")}</button>
      </div>`;
    else send();
  }

  async #send(text: string): Promise<void> {
    const { host } = this;
    if (!host.client) return;
    if (this.#sending) {
      this.#again = true;
      return;
    }
    this.#sending = true;
    this.#key ??= newKey();
    host.trouble = undefined;
    try {
      const { why } = await host.client.say(host.thread, text.trim(), this.#key);
      this.#key = null;
      // What was typed while it was on its way stays.
      if (host.text.startsWith(text)) this.#keep(host.text.slice(text.length));
      if (why && !SILENT.includes(why))
        host.trouble = html`<span class="ask">${host.say("composer.unanswered")}</span>`;
    } catch (error) {
      const code = error instanceof WireError ? error.code : "";
      host.trouble = host.say(REFUSALS[code] ?? "composer.failed");
    } finally {
      this.#sending = false;
    }
    // What was typed and sent meanwhile comes next.
    if (this.#again) {
      this.#again = false;
      this.#submit();
    }
  }

  #onSubmit(event: Event): void {
    event.preventDefault();
    this.#submit();
  }

  #type(event: Event): void {
    this.#keep((event.target as HTMLTextAreaElement).value);
    this.host.trouble = undefined;
    this.#key = null;
  }

  #keep(text: string): void {
    this.host.text = text;
    keep?.writeText(this.host.thread, text);
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) this.#onSubmit(event);
  }
}
