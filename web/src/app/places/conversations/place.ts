import texts from "../../../../../src/askback/messages/en.json?place=conversations&texts" with {
  type: "json",
};
import inboxTexts from "../../../../../src/askback/messages/en.json?place=inbox&texts" with { type: "json" };
import { newKey } from "../../../client/key.ts";
import type { AgentPage, Conversation, Thread } from "../../../core/generated/wire.ts";
import { isTerminal } from "../../../core/lifecycle.ts";
import { addTexts } from "../../../core/messages.ts";
import { escapeText } from "../../../elements/approval/escapes.ts";
import { type ChangedProperties, drawList } from "../../../elements/element.ts";
import { html, render, type Template } from "../../../elements/html.ts";
import { draw } from "../../../elements/icons.ts";
import { initialsOf } from "../../../elements/initials.ts";
import { AskbackThread } from "../../../elements/thread.ts";
import { placeIcons } from "../../icons.ts";
import { PlaceElement } from "../../place.ts";
import { pathOf } from "../../router.ts";
import { titleOrId } from "../../titles.ts";
import { drawHeading } from "../../ui/heading.ts";
import { handleListKeys, LIST_KEYS } from "../../ui/listnavigation.ts";
import { drawEmpty, drawError, drawLoading } from "../../ui/states.ts";
import { drawTool } from "../../ui/tool.ts";
import { drawChips, drawSearch } from "../../ui/toolbar.ts";
import { agentOf, titleOf } from "../inbox/words.ts";
import { conversationListStyles } from "./conversations.css.ts";
import { ConversationList } from "./list.ts";

addTexts(inboxTexts);
addTexts(texts);
if (!customElements.get("askback-thread")) customElements.define("askback-thread", AskbackThread);

const RENAME_ICON = draw("M4 20l1-4L16 5l3 3L8 19zM14 7l3 3");
const ARCHIVE_ICON = draw("M3.500 5h17v4h-17zM5 9v11h14V9M9.500 13h5");
const TYPING_MS = 250;
const encode = encodeURIComponent;

/** The conversations of all agents, sorted by last activity, beside the open one. */
export class Place extends PlaceElement {
  static override styles = [...PlaceElement.styles, conversationListStyles];
  static override properties = { ...PlaceElement.properties, naming: false };

  /** Whether the title is being changed. */
  declare naming: boolean;
  override readonly keys = { list: LIST_KEYS, answers: true };
  #list: ConversationList | undefined;
  #agents: ReadonlyMap<string, string> = new Map();
  #typing: ReturnType<typeof setTimeout> | undefined;
  #thread: AskbackThread | undefined;
  #unfollow: (() => void) | undefined;

  get heading(): string {
    return this.item ? this.#title : this.getText("app.conversations");
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const { client, inbox } = this.app;
    this.#list = new ConversationList(client, () => this.redraw());
    this.#list.follow();
    const redraw = (): void => this.redraw();
    const leaveKeys = handleListKeys(this);
    inbox.addEventListener("change", redraw);
    this.#unfollow = () => {
      inbox.removeEventListener("change", redraw);
      leaveKeys();
    };
    void client.get<AgentPage>("/v1/agents?limit=200").then(
      ({ agents }) => {
        this.#agents = new Map(agents.map(({ id, name }) => [id, name]));
        this.redraw();
      },
      () => {},
    );
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#typing);
    this.#unfollow?.();
    this.#list?.stop();
  }

  get #archived(): boolean {
    return this.query?.get("show") === "archived";
  }

  protected override willUpdate(changed: ChangedProperties): void {
    const search = { q: this.query?.get("q") ?? "", archived: this.#archived };
    if (changed.has("query")) this.#list?.search(search);
    if (changed.has("item")) this.#show(this.item);
  }

  #show(id: string): void {
    this.naming = false;
    this.#thread = undefined;
    if (!id) return;
    const thread = document.createElement("askback-thread");
    thread.client = this.app.client;
    thread.thread = id;
    thread.addEventListener("askback-thread", () => this.redraw());
    this.#thread = thread;
  }

  /** What a conversation is called: its title, its id if that is readable, or the agents in it. */
  #nameOf({ id, title, agents }: Pick<Conversation, "id" | "title" | "agents">): string {
    const names = (agents ?? []).flatMap((agent) => this.#agents.get(agent) ?? []);
    const shownTitle = titleOrId(id, title) || (names.length === 0 && id);
    return shownTitle || this.getText("conversation_with", { name: names.join(", ") });
  }

  get #open(): Conversation | undefined {
    return this.#list?.conversations?.find(({ id }) => id === this.item);
  }

  get #title(): string {
    const title = this.#thread?.transcript?.title;
    return this.#nameOf({ id: this.item, title, agents: this.#open?.agents });
  }

  #path(item: string, query = this.query): string {
    return `${pathOf("conversations", item)}${query?.size ? `?${query}` : ""}`;
  }

  #filter(name: string, value: string): void {
    const query = new URLSearchParams(this.query);
    if (value) query.set(name, value);
    else query.delete(name);
    this.app.go(this.#path(this.item, query), { replace: true });
  }

  #type(text: string): void {
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.#filter("q", text.trim()), TYPING_MS);
  }

  protected override updated(): void {
    const waiting = new Map<string, number>();
    for (const { thread_id: id } of this.app.inbox.mine) waiting.set(id, (waiting.get(id) ?? 0) + 1);
    drawList(this.root.querySelector(".rows"), this.#list?.conversations ?? [], (conversation, place) =>
      render(this.#drawRow(conversation, waiting.get(conversation.id) ?? 0), place),
    );
  }

  #drawRow(conversation: Conversation, waiting: number): Template {
    const { id, message, request, updated_at } = conversation;
    const name = this.#nameOf(conversation);
    const text = request ? titleOf(request, this) : (message?.text ?? "");
    const speaker = request ? agentOf(request) : message?.name;
    const author = speaker ?? this.#agents.get(conversation.agents?.[0] ?? "") ?? name;
    const line = speaker ? this.getText("conversations.said", { name: speaker, text }) : text;
    return html`<a class="row" href=${this.#path(id)} aria-current=${id === this.item && "true"}>
      <span class="mark" aria-hidden="true">${initialsOf(author)}</span>
      <span class="t">${escapeText(name)}</span>
      <askback-time class="when" at=${updated_at}></askback-time>
      <span class="s"><span class="line">${escapeText(line)}</span>${waiting > 0 && html`<span class="tag waits">${this.#count("waits", waiting)}</span>`}</span>
    </a>`;
  }

  #count(name: string, count: number): string {
    return this.getText(`conversations.${name}`, { count });
  }

  #drawFilters(): Template {
    const { getText } = this;
    const chips = [
      { id: "", label: getText("conversations.current") },
      { id: "archived", label: getText("conversations.archived") },
    ];
    return html`${drawSearch(getText("conversations.search"), this.query?.get("q") ?? "", (text) => this.#type(text))}
      ${drawChips(getText("conversations.which"), chips, this.#archived ? "archived" : "", (id) => this.#filter("show", id))}`;
  }

  #drawRows(): Template {
    const { getText } = this;
    const list = this.#list;
    if (list?.failed)
      return drawError(getText, () =>
        list.search({ q: this.query?.get("q") ?? "", archived: this.#archived }),
      );
    if (!list?.conversations) return drawLoading(getText);
    const moreButton =
      list.cursor &&
      html`<button type="button" class="more" .onclick=${() => list.readMore()}>${getText("conversations.more")}</button>`;
    if (list.conversations.length > 0) return html`<ul class="rows"></ul>${moreButton}`;
    if (this.query?.get("q")) {
      const clear = html`<a href=${pathOf("conversations", this.item)}>${getText("conversations.clear")}</a>`;
      return drawEmpty({
        icon: placeIcons.search,
        title: getText("conversations.nothing"),
        action: html`${moreButton || clear}`,
      });
    }
    if (this.#archived)
      return drawEmpty({
        icon: placeIcons.tick,
        title: getText("conversations.no_archive"),
        action: moreButton,
      });
    return drawEmpty({
      title: getText("conversations.empty"),
      text: getText("conversations.hint"),
      code: 'from askback import Client\nClient().say("I am packing for Rome.", thread_id="trip")',
      action: moreButton,
    });
  }

  async #rename(event: Event): Promise<void> {
    event.preventDefault();
    const title = new FormData(event.currentTarget as HTMLFormElement).get("title");
    const call = this.app.client.change<Thread>("PATCH", `/v1/threads/${encode(this.item)}`, {
      title: String(title).trim() || null,
    });
    if (!(await this.#succeeds(call))) return;
    this.naming = false;
    this.focusOn("#rename");
  }

  async #archive(): Promise<void> {
    const { getText, item } = this;
    const title = this.#title;
    const pending =
      this.#thread?.transcript?.requests.filter(({ status }) => !isTerminal(status)).length ?? 0;
    const question = {
      title: getText("conversations.archive_title", { title }),
      text: this.#count("archive_text", pending),
      yes: getText("conversations.archive"),
      danger: true,
    };
    if (pending > 0 && !(await this.app.confirm(question))) return;
    if (!(await this.#changeArchive(item, "archive"))) return;
    this.app.toast({
      text: getText("conversations.archive_done", { title }),
      undo: () => void this.#changeArchive(item, "unarchive"),
    });
  }

  async #unarchive(): Promise<void> {
    const text = this.getText("conversations.unarchive_done", { title: this.#title });
    if (await this.#changeArchive(this.item, "unarchive")) this.app.toast({ text });
  }

  #changeArchive(id: string, action: "archive" | "unarchive"): Promise<boolean> {
    return this.#succeeds(this.app.client.post(`/v1/threads/${encode(id)}/${action}`, {}, newKey()));
  }

  /** Whether a call has worked; if it has not, say so. */
  #succeeds(call: Promise<unknown>): Promise<boolean> {
    return call.then(
      () => true,
      () => {
        this.app.toast({ text: this.getText("app.not_done") });
        return false;
      },
    );
  }

  #drawActions(): Template | false {
    const { getText } = this;
    const transcript = this.#thread?.transcript;
    const level = transcript?.access?.level;
    const isArchived = !!transcript?.archived_at;
    const mayArchive = level === "owner" || (level === "all" && !this.#open?.owner);
    const mayName = !isArchived && (mayArchive || level === "prompt" || level === "all");
    return html`${
      mayName &&
      drawTool("rename", RENAME_ICON, getText("conversations.rename"), () => {
        this.naming = true;
        this.focusOn("[name=title]");
      })
    }
    ${
      mayArchive &&
      (isArchived
        ? drawTool(
            "unarchive",
            ARCHIVE_ICON,
            getText("conversations.unarchive"),
            () => void this.#unarchive(),
          )
        : drawTool("archive", ARCHIVE_ICON, getText("conversations.archive"), () => void this.#archive()))
    }`;
  }

  #drawNaming(): Template {
    const { getText } = this;
    const close = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.naming = false;
      this.focusOn("#rename");
    };
    return html`<form class="naming" .onsubmit=${(event: Event) => void this.#rename(event)} .onkeydown=${close}>
      <input type="text" name="title" maxlength="200" autocomplete="off" aria-label=${getText("conversations.title")} .value=${this.#thread?.transcript?.title ?? ""} />
      <button type="submit" class="primary">${getText("conversations.save")}</button>
    </form>`;
  }

  #drawDetail(): Template {
    const { getText } = this;
    const names = (this.#open?.agents ?? []).flatMap((id) => this.#agents.get(id) ?? []).join(", ");
    return html`<section class="pane detail" tabindex="-1" aria-label=${getText("conversations.conversation")}>
      ${
        this.item
          ? html`<div class="bar">
                <a class="back" href=${this.#path("")} aria-label=${getText("app.conversations")}>${placeIcons.back}<span>${getText("app.conversations")}</span></a>
                ${this.naming ? this.#drawNaming() : html`<h2 title=${this.#title}>${escapeText(this.#title)}</h2><span class="about">${names}</span>${this.#drawActions()}`}
              </div>
              ${this.#thread}`
          : !!this.#list?.conversations?.length && html`<p class="empty">${getText("conversations.none")}</p>`
      }
    </section>`;
  }

  protected override render(): Template {
    return html`<div class="split" data-open=${String(this.item !== "")}>
      <section class="pane list" aria-label=${this.getText("conversations.list")}>
        <div class="bar">${drawHeading(this.getText("app.conversations"))}${this.#drawFilters()}</div>
        ${this.#drawRows()}
      </section>
      ${this.#drawDetail()}
    </div>`;
  }
}
