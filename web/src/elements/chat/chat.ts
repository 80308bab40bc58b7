import texts from "../../../../src/askback/messages/en.json?chat&texts" with { type: "json" };
import type { Client } from "../../client/client.ts";
import { type Person, readOnlyReason } from "../../core/audience.ts";
import type { FilePart, ImageBlock, ThreadRequest } from "../../core/generated/wire.ts";
import { addTexts, type Locale } from "../../core/messages.ts";
import type { Entry, Transcript } from "../../core/transcript.ts";
import { highlightStyles } from "../approval/highlight.css.ts";
import type { StoredFiles } from "../files/links.ts";
import { html, type Template } from "../html.ts";
import { draw } from "../icons.ts";
import { initialsOf } from "../initials.ts";
import type { GetText } from "../text.ts";
import { momentText } from "../text.ts";
import { chatStyles } from "./chat.css.ts";
import { type EntryHeader, entryHeaders } from "./heads.ts";
import { Markdown } from "./markdown.ts";
import { ScrollPosition } from "./reading.ts";
import { drawCall, drawStep, groupToolCalls, type IdentifiedPart } from "./tools.ts";

addTexts(texts);

const UP_ICON = draw("M12 20V5M6 11l6-6 6 6");
const DOWN_ICON = draw("M12 19V4M6 13l6 6 6-6");

/** The number of entries shown at first; more follow when somebody scrolls up to the first one. */
const PAGE = 60;
/** What a first drawing waits for Markdown, so that nothing moves when it comes. */
const LOAD_TIMEOUT_MS = 1_000;

/** The element of the conversation, as its messages use it. */
export interface ChatHost {
  readonly root: ShadowRoot;
  readonly client: Client | undefined;
  readonly getText: GetText;
  readonly locale: Locale;
  readonly transcript: Transcript | undefined;
  redraw(): void;
}

/** Draw an image; one of another server is a link, as its request would tell that server what the agent put into it. */
function drawImage({ url, alt }: ImageBlock, getText: GetText): Template | false {
  if (url.startsWith("data:image/")) return html`<img src=${url} alt=${alt} />`;
  if (!url.startsWith("https:") || !URL.canParse(url)) return false;
  const label = getText("chat.image", { host: new URL(url).host });
  return html`<a href=${url} target="_blank" rel="noopener noreferrer">${label}${alt && `: ${alt}`}</a>`;
}

/** How a conversation looks: who wrote, texts, tool calls, pictures and files, and where somebody reads. */
export class Chat {
  readonly identify = groupToolCalls;
  readonly reading: ScrollPosition;
  readonly #markdown: Markdown;
  #me: Person | undefined;
  #headers: ReadonlyMap<string, EntryHeader> = new Map();
  #limit = PAGE;
  #hiddenCount = 0;
  #lastId = "";
  #files: StoredFiles | undefined;
  #loading: Promise<void> | undefined;

  constructor(
    private readonly host: ChatHost,
    private readonly isAsked: (request: ThreadRequest) => boolean,
  ) {
    host.root.adoptedStyleSheets.push(highlightStyles, chatStyles);
    this.#markdown = new Markdown(host);
    this.reading = new ScrollPosition(
      host,
      (request) => this.waits(request),
      () => this.#loadEarlier(),
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
    const agentTexts = messages
      .slice(-PAGE)
      .filter(({ role }) => role === "agent")
      .flatMap(({ content }) => content.flatMap((part) => (part.type === "text" ? [part.text] : [])));
    const timeout = new Promise((resolve) => setTimeout(resolve, LOAD_TIMEOUT_MS));
    await Promise.race([this.#markdown.read(agentTexts), timeout]);
  }

  /** The entries that are shown, the last ones. */
  visible(entries: readonly Entry[]): readonly Entry[] {
    this.#headers = entryHeaders(entries, this.#me);
    this.#hiddenCount = Math.max(0, entries.length - this.#limit);
    return entries.slice(this.#hiddenCount);
  }

  /** How many entries of others came after the last that was drawn, and how many of the reader. */
  countNew(entries: readonly Entry[]): readonly [others: number, own: number] {
    const lastIndex = entries.findIndex(({ id }) => id === this.#lastId);
    const newEntries = lastIndex < 0 ? [] : entries.slice(lastIndex + 1);
    this.#lastId = entries.at(-1)?.id ?? "";
    const ownCount = newEntries.filter(({ id }) => this.#headers.get(id)?.isOwn).length;
    return [newEntries.length - ownCount, ownCount];
  }

  #loadEarlier(): void {
    if (this.#hiddenCount === 0) return;
    this.#limit += PAGE;
    this.host.redraw();
  }

  lookOf(entry: Entry): string {
    const header = this.#headers.get(entry.id);
    const role = entry.type === "message" ? entry.message.role : "request";
    return `${role}${header?.isOwn ? " own" : ""}${header?.isFirst ? " first" : ""}`;
  }

  /** Draw who wrote, and when, above the first of what they wrote. */
  drawHead({ id }: Entry, heldNote: Template | undefined | false): Template | false {
    const { getText, locale } = this.host;
    const header = this.#headers.get(id);
    if (!header?.isFirst && !heldNote) return false;
    const name = [header?.name ?? getText(header?.isAgent ? "agent" : "you"), header?.part]
      .filter(Boolean)
      .join(" · ");
    return html`<div class="head">
      ${!header?.isOwn && html`<span class="avatar" aria-hidden="true">${initialsOf(header?.part ?? name)}</span>`}
      <span class="who"><span class=${header?.isOwn && "hidden"}>${name}</span>${heldNote}</span>
      <time datetime=${header?.at}>${header && momentText(header.at, locale)}</time>
    </div>`;
  }

  /** Draw a part that is no request. */
  drawPart({ id: at, part }: IdentifiedPart, entry: Entry): unknown {
    const { host } = this;
    if (part.type === "tools") return drawStep(part, host);
    if (part.type === "tool") return drawCall(part, host);
    if (part.type === "file") return this.#drawFile(part);
    if (part.type === "image") return drawImage(part, host.getText);
    if (part.type !== "text" || !part.text) return false;
    // What people type is shown as they typed it.
    const isAgent = entry.type === "message" && entry.message.role === "agent";
    return isAgent
      ? this.#markdown.draw(`${entry.id} ${at}`, part.text)
      : html`<div class="text">${part.text}</div>`;
  }

  #drawFile({ file, alt }: FilePart): Template | false {
    if (this.#files) return this.#files.drawLink(file, alt ?? undefined);
    this.#loading ??= this.#loadFiles();
    return false;
  }

  async #loadFiles(): Promise<void> {
    try {
      const { StoredFiles } = await import("../files/links.ts");
      this.#files = new StoredFiles(this.host);
      this.host.redraw();
    } catch {
      this.#loading = undefined;
    }
  }

  /** Say of a conversation that nothing was written in it, or that it does not exist. */
  noneText(seq: number, name: string): string {
    return this.host.getText(seq > 0 ? "thread_empty" : "thread_none", { name });
  }

  drawBefore(): Template | false {
    const { getText } = this.host;
    return (
      this.#hiddenCount > 0 &&
      html`<p class="earlier"><button type="button" class="quiet" .onclick=${() => this.#loadEarlier()}>${getText("chat.earlier")}</button></p>`
    );
  }

  /** Draw the ways to what is new and to what waits, when they are not in view. */
  drawJumps(requests: readonly ThreadRequest[]): Template {
    const { getText } = this.host;
    const waiting = requests.filter((request) => this.waits(request)).length;
    const { reading } = this;
    const words = (name: "fresh" | "waits", count: number): string => getText(`chat.${name}`, { count });
    const isAway = reading.direction !== "" && waiting > 0;
    return html`<div class="ways">
      ${isAway && html`<button type="button" class="way ask" .onclick=${() => reading.showWaiting()}>${words("waits", waiting)}${reading.direction === "up" ? UP_ICON : DOWN_ICON}</button>`}
      ${reading.newCount > 0 && html`<button type="button" class="way" .onclick=${() => reading.showFresh()}>${words("fresh", reading.newCount)}${DOWN_ICON}</button>`}
    </div>`;
  }
}
