import texts from "../../../../src/askback/messages/en.json?chat" with { type: "json" };
import type { Client } from "../../client/client.ts";
import { type Person, readOnlyReason } from "../../core/audience.ts";
import type { FilePart, ThreadRequest } from "../../core/generated/wire.ts";
import { addTexts, type Locale } from "../../core/messages.ts";
import type { Entry, Transcript } from "../../core/transcript.ts";
import { highlights } from "../approval/highlight.css.ts";
import type { StoredFiles } from "../files/stored.ts";
import { html, type Template } from "../html.ts";
import { draw } from "../icons.ts";
import { initials } from "../initials.ts";
import type { Say } from "../text.ts";
import { when } from "../text.ts";
import { chat } from "./chat.css.ts";
import { type Head, headsOf } from "./heads.ts";
import { Markdown } from "./markdown.ts";
import { Reading } from "./reading.ts";
import { drawCall, drawStep, fold, type Named } from "./tools.ts";

addTexts(texts);

const UP = draw("M12 20V5M6 11l6-6 6 6");
const DOWN = draw("M12 4v15M6 13l6 6 6-6");

/** Only these addresses become pictures. */
const PICTURE = /^(https:\/\/|data:image\/)/i;
/** So many entries are shown at first, and more of them when somebody reads up to the first. */
const PAGE = 60;
/** What a first drawing waits for Markdown, so that nothing moves when it comes. */
const PATIENCE_MS = 1_000;

/** The element of the conversation, as its messages use it. */
export interface ChatHost {
  readonly root: ShadowRoot;
  readonly client: Client | undefined;
  readonly say: Say;
  readonly locale: Locale;
  readonly transcript: Transcript | undefined;
  redraw(): void;
}

/** How a conversation looks: who wrote, texts, tool calls, pictures and files, and where somebody reads. */
export class Chat {
  readonly reading: Reading;
  readonly #markdown: Markdown;
  #me: Person | undefined;
  #heads: ReadonlyMap<string, Head> = new Map();
  #limit = PAGE;
  #hidden = 0;
  #last = "";
  #files: { stored?: StoredFiles } | undefined;

  constructor(
    private readonly host: ChatHost,
    private readonly isAsked: (request: ThreadRequest) => boolean,
  ) {
    host.root.adoptedStyleSheets.push(highlights, chat);
    this.#markdown = new Markdown(host);
    this.reading = new Reading(
      host,
      (request) => this.waits(request),
      () => this.#earlier(),
    );
    host.client?.whoami().then(
      ({ principal }) => {
        this.#me = principal;
        host.redraw();
      },
      () => {},
    );
  }

  /** Whether a request waits for this person. */
  waits(request: ThreadRequest): boolean {
    return this.isAsked(request) && !readOnlyReason(request, this.#me);
  }

  /** Resolves when the newest messages can be drawn without a later move, or it takes too long. */
  async prepare({ messages }: Transcript): Promise<void> {
    if (this.host.transcript) return;
    const written = messages
      .slice(-PAGE)
      .filter(({ role }) => role === "agent")
      .flatMap(({ content }) => content.flatMap((part) => (part.type === "text" ? [part.text] : [])));
    const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
    await Promise.race([this.#markdown.read(written), patience]);
  }

  /** The entries that are shown, the last ones. */
  shown(all: readonly Entry[]): readonly Entry[] {
    this.#heads = headsOf(all, this.#me);
    this.#hidden = Math.max(0, all.length - this.#limit);
    return all.slice(this.#hidden);
  }

  /** How many entries of others came after the last that was drawn, and how many of the reader. */
  count(all: readonly Entry[]): readonly [others: number, own: number] {
    const at = all.findIndex(({ id }) => id === this.#last);
    const added = at < 0 ? [] : all.slice(at + 1);
    this.#last = all.at(-1)?.id ?? "";
    const own = added.filter(({ id }) => this.#heads.get(id)?.isOwn).length;
    return [added.length - own, own];
  }

  #earlier(): void {
    if (this.#hidden === 0) return;
    this.#limit += PAGE;
    this.host.redraw();
  }

  lookOf(entry: Entry): string {
    const head = this.#heads.get(entry.id);
    const role = entry.type === "message" ? entry.message.role : "request";
    return `${role}${head?.isOwn ? " own" : ""}${head?.isFirst ? " first" : ""}`;
  }

  /** Draw who wrote, and when, above the first of what they wrote. */
  drawHead({ id }: Entry, held: Template | undefined | false): Template | false {
    const { say, locale } = this.host;
    const head = this.#heads.get(id);
    if (!head?.isFirst && !held) return false;
    const name = [head?.name ?? say(head?.isAgent ? "agent" : "you"), head?.part].filter(Boolean).join(" · ");
    return html`<div class="head">
      ${!head?.isOwn && html`<span class="avatar" aria-hidden="true">${initials(head?.part ?? name)}</span>`}
      <span class="who"><span class=${head?.isOwn && "hidden"}>${name}</span>${held}</span>
      <time datetime=${head?.at}>${head && when(head.at, locale)}</time>
    </div>`;
  }

  partsOf(entry: Entry): readonly Named[] {
    return fold(entry.type === "message" ? entry.parts : [entry]);
  }

  /** Draw a part that is no request. */
  drawPart({ id: at, part }: Named, entry: Entry): unknown {
    const { host } = this;
    if (part.type === "tools") return drawStep(part, host);
    if (part.type === "tool") return drawCall(part, host);
    if (part.type === "file") return this.#drawFile(part);
    if (part.type === "image")
      return PICTURE.test(part.url) && html`<img src=${part.url} alt=${part.alt} loading="lazy" />`;
    if (part.type !== "text" || !part.text) return false;
    // What people type is shown as they typed it.
    const isAgent = entry.type === "message" && entry.message.role === "agent";
    return isAgent
      ? this.#markdown.draw(`${entry.id} ${at}`, part.text)
      : html`<div class="text">${part.text}</div>`;
  }

  #drawFile({ file, alt }: FilePart): Template | false {
    if (this.#files) return !!this.#files.stored && this.#files.stored.drawLink(file, alt ?? undefined);
    const coming: { stored?: StoredFiles } = {};
    this.#files = coming;
    void import("../files/stored.ts").then(
      (part) => {
        coming.stored = new part.StoredFiles(this.host);
        this.host.redraw();
      },
      () => {
        this.#files = undefined;
      },
    );
    return false;
  }

  drawBefore(): Template | false {
    const { say } = this.host;
    return (
      this.#hidden > 0 &&
      html`<p class="earlier"><button type="button" class="quiet" .onclick=${() => this.#earlier()}>${say("chat.earlier")}</button></p>`
    );
  }

  /** Draw the ways to what is new and to what waits, when they are not in view. */
  drawWays(requests: readonly ThreadRequest[]): Template {
    const { say } = this.host;
    const waiting = requests.filter((request) => this.waits(request)).length;
    const { reading } = this;
    const words = (name: "fresh" | "waits", count: number): string => say(`chat.${name}`, { count });
    const isAway = reading.away !== "" && waiting > 0;
    return html`<div class="ways">
      ${isAway && html`<button type="button" class="way ask" .onclick=${() => reading.showWaiting()}>${words("waits", waiting)}${reading.away === "up" ? UP : DOWN}</button>`}
      ${reading.fresh > 0 && html`<button type="button" class="way" .onclick=${() => reading.showFresh()}>${words("fresh", reading.fresh)}${DOWN}</button>`}
    </div>`;
  }
}
