import texts from "../../../../../src/askback/messages/en.json?place=inbox&texts" with { type: "json" };
import type { InputRequest } from "../../../core/generated/wire.ts";
import { addTexts } from "../../../core/messages.ts";
import type { ChangedProperties } from "../../../elements/element.ts";
import type { SettledEvent } from "../../../elements/events.ts";
import { html, render, type Template } from "../../../elements/html.ts";
import { needsTexts } from "../../../elements/localtexts.ts";
import { placeIcons } from "../../icons.ts";
import { focusedElement, singleKey } from "../../keys.ts";
import { PlaceElement } from "../../place.ts";
import { pathOf } from "../../router.ts";
import { drawHeading } from "../../ui/heading.ts";
import { ALL_KEYS } from "../../ui/shortcuts.ts";
import { drawEmpty, drawLoading } from "../../ui/states.ts";
import { drawChips, drawSearch, drawSelect } from "../../ui/toolbar.ts";
import { VirtualList } from "../../ui/virtual.ts";
import { Bulk } from "./bulk.ts";
import { Detail } from "./detail.ts";
import { chipsOf, type Filter, filterRequests, RequestFacts, valuesOf } from "./filters.ts";
import { type Group, groupRequests } from "./groups.ts";
import { inboxStyles } from "./inbox.css.ts";
import { drawRow } from "./row.ts";
import { agentOf } from "./words.ts";

addTexts(texts);

/** A row of the list, or the name of a group above its rows. */
interface Entry {
  readonly id: string;
  readonly style: "row" | "group";
  readonly request?: InputRequest;
}

/** What is in the list now. */
interface InboxList {
  readonly entries: readonly Entry[];
  /** The requests in the order of the list. */
  readonly order: readonly InputRequest[];
  /** Those that the filters but `show` leave. */
  readonly filteredRequests: readonly InputRequest[];
  readonly dueCount: number;
}

/** Everything that waits for this person, and beside it the request that is open. */
export class Place extends PlaceElement {
  static override styles = [...PlaceElement.styles, inboxStyles];
  static override properties = { ...PlaceElement.properties, text: "", selecting: false };

  /** What is searched for. */
  declare text: string;
  /** Whether each row has its checkbox in sight. */
  declare selecting: boolean;

  override readonly keys = ALL_KEYS;
  readonly #detail = new Detail(
    this,
    (missing) => this.#onVote(missing),
    () => this.#openNext(),
  );
  readonly #bulk = new Bulk(this);
  readonly #facts = new RequestFacts(this, (thread) => this.app.inbox.titleOf(thread));
  readonly #list = new VirtualList<Entry>((entry, place) => this.#drawEntry(entry, place));
  #inboxList: InboxList = { entries: [], order: [], filteredRequests: [], dueCount: 0 };
  /** What is opened after the open request is decided. */
  #nextId = "";
  /** The request that was decided here last: its row is about to go. */
  #decidedId = "";
  #isFirstUpdate = true;
  /** The open request whose row was brought into view. */
  #revealedId = "";
  /** Whether the focus stays in the list although another request is opened. */
  #keepsListFocus = false;
  #stop: (() => void) | undefined;

  constructor() {
    super();
    this.addEventListener("askback-settled", (event) => this.#onSettled(event));
    this.root.addEventListener("keydown", (event) => this.#escape(event as KeyboardEvent), { capture: true });
  }

  get heading(): string {
    return this.#detail.title || this.getText("app.inbox");
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const { inbox } = this.app;
    const prepare = (): void => void this.#prepare();
    const press = (event: KeyboardEvent): void => this.#onKey(event);
    inbox.addEventListener("change", prepare);
    document.addEventListener("keydown", press);
    this.#stop = () => {
      inbox.removeEventListener("change", prepare);
      document.removeEventListener("keydown", press);
    };
    prepare();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop?.();
    this.#detail.close();
  }

  /** Texts in several languages need a part of their own before a row can be drawn. */
  async #prepare(): Promise<void> {
    if (this.app.inbox.requests?.some(needsTexts))
      await import("../../../elements/texts/texts.ts").catch(() => {});
    this.redraw();
  }

  get #filter(): Filter {
    const get = (name: string): string => this.query?.get(name) ?? "";
    return { show: get("show") || "all", agent: get("agent"), thread: get("thread"), text: this.text };
  }

  /** The address of a request with the filters of now. */
  #pathTo(id: string): string {
    return `${pathOf("inbox", id)}${this.query?.size ? `?${this.query}` : ""}`;
  }

  #setFilter(name: string, value: string): void {
    const query = new URLSearchParams(this.query);
    if (value && value !== "all") query.set(name, value);
    else query.delete(name);
    this.app.go(`${pathOf("inbox", this.item)}${query.size ? `?${query}` : ""}`, { replace: true });
  }

  protected override willUpdate(changed: ChangedProperties): void {
    if (changed.has("item") && (changed.get("item") ?? "") !== this.item) this.#detail.open(this.item);
    const { requests = [], mine, remindedRequests, personal } = this.app.inbox;
    this.#facts.mine = mine;
    const filter = this.#filter;
    const filteredRequests = filterRequests(requests, filter, this.#facts);
    const visible = (all: readonly InputRequest[]) =>
      all.filter((item) => this.#facts.isShown(item, filter.show));
    const visibleRequests = visible(filteredRequests);
    const { now } = this.app.client;
    const groupOf = (name: Group, all: readonly InputRequest[]) =>
      [[name, visible(filterRequests(all, filter, this.#facts))] as const].filter(([, { length }]) => length);
    const groups = [
      ...groupOf("missed", personal.missedReminders),
      ...groupRequests(visibleRequests, now, new Date(now).setHours(0, 0, 0, 0)),
      ...groupOf("later", remindedRequests),
    ];
    // What is due soon comes before what can no longer be answered.
    if (groups[1]?.[0] === "due") groups.unshift(...groups.splice(1, 1));
    const order = groups.flatMap(([, grouped]) => grouped);
    const entries = groups.flatMap(([name, grouped]): Entry[] => [
      { id: name, style: "group" },
      ...grouped.map((request): Entry => ({ id: request.id, style: "row", request })),
    ]);
    const dueCount =
      groups.find(([name]) => name === "due")?.[1].filter((item) => this.#facts.isMine(item)).length ?? 0;
    this.#inboxList = { entries, order, filteredRequests, dueCount };
    const index = order.findIndex(({ id }) => id === this.item);
    const isOpen = ({ settled_at }: InputRequest): boolean => !settled_at;
    if (index >= 0)
      this.#nextId =
        (order.slice(index + 1).find(isOpen) ?? order.slice(0, index).findLast(isOpen))?.id ?? "";
  }

  protected override updated(changed: ChangedProperties): void {
    const { root } = this;
    this.#list.update(root.querySelector(".rows"), root.querySelector(".pane.list"), this.#inboxList.entries);
    this.#reveal();
    if (!changed.has("item")) return;
    if (!this.item && !this.#isFirstUpdate) this.#returnFocus(changed.get("item") as string);
    else if (this.item && !this.#isFirstUpdate && !this.#keepsListFocus) this.#focusDetail();
    this.#keepsListFocus = false;
    this.#isFirstUpdate = false;
  }

  /** Have the row of the open request in view, once for each that is opened: the list may be read later. */
  #reveal(): void {
    if (this.#revealedId === this.item) return;
    const isListed = this.#inboxList.order.some(({ id }) => id === this.item);
    if (isListed) this.#list.reveal(this.item);
    if (isListed || !this.item) this.#revealedId = this.item;
  }

  override focusContent(): void {
    if (this.item) this.#focusDetail();
    else super.focusContent();
  }

  /** Give the focus to the open request, so that its keys work: its heading takes it once it is drawn. */
  #focusDetail(): void {
    this.root.querySelector<HTMLElement>(".detail")?.focus();
  }

  /** Give the focus back to the row of the request that was open. */
  #returnFocus(id: string): void {
    if (id !== this.#decidedId && this.#inboxList.order.some((item) => item.id === id)) this.#focusRow(id);
    else this.focusContent();
  }

  #focusRow(id: string): void {
    this.#list.reveal(id);
    this.root.querySelector<HTMLElement>(`li[data-id="${CSS.escape(id)}"] a`)?.focus();
  }

  /** Go to the next or the previous request; the focus stays in the list, or in the request. */
  #move(by: number): void {
    const { order } = this.#inboxList;
    const row = focusedElement()?.closest<HTMLElement>("li[data-id]")?.dataset.id;
    const index = order.findIndex(({ id }) => id === (row ?? this.item));
    const next = order[index < 0 ? 0 : Math.min(order.length - 1, Math.max(0, index + by))];
    if (!next) return;
    if (focusedElement()?.closest(".detail") || focusedElement()?.closest("askback-request") || !row) {
      this.app.go(this.#pathTo(next.id), { replace: true });
      if (!row && !this.item) this.#focusRow(next.id);
    } else {
      this.#focusRow(next.id);
      if (!this.item || next.id === this.item) return;
      this.#keepsListFocus = true;
      this.app.go(this.#pathTo(next.id), { replace: true });
    }
  }

  /** Close the open request; nothing is decided. */
  #close(): void {
    this.app.go(this.#pathTo(""));
  }

  /** In the application Escape only ever closes: it must not reach a form, which it would skip. */
  #escape(event: KeyboardEvent): void {
    const [target] = event.composedPath();
    if (event.key !== "Escape" || !(target instanceof Element) || !inRequest(event)) return;
    if (this.#detail.ownsEscape(target)) return;
    event.stopPropagation();
    this.#close();
  }

  #onKey(event: KeyboardEvent): void {
    const key = singleKey(event);
    const [target] = event.composedPath();
    if (!key || !(target instanceof Element)) return;
    const act = this.#actionOf(key, target);
    if (act) {
      event.preventDefault();
      act();
    } else if (!event.repeat && inRequest(event) && this.#detail.press(key, target)) event.preventDefault();
  }

  #actionOf(key: string, target: Element): (() => void) | undefined {
    const inList = target.closest(".pane.list") !== null;
    const row = target.closest<HTMLElement>("li[data-id]")?.dataset.id ?? this.item;
    const actions: Record<string, (() => void) | false> = {
      j: () => this.#move(1),
      k: () => this.#move(-1),
      ArrowDown: inList && (() => this.#move(1)),
      ArrowUp: inList && (() => this.#move(-1)),
      x: this.app.inbox.mine.some(({ id }) => id === row) && (() => this.#bulk.toggle(row)),
      s: !this.#bulk.isEmpty && (() => this.#bulk.focus()),
      "/": () => this.root.querySelector<HTMLElement>("#search")?.focus(),
      Escape: !this.#bulk.isEmpty && (() => this.#bulk.select([])),
    };
    return (Object.hasOwn(actions, key) && actions[key]) || undefined;
  }

  /** Say what was decided, and if it was decided here, open the next one. */
  #onSettled(event: SettledEvent): void {
    const { request, title, outcome } = this.#detail;
    if (request?.id !== event.id) return;
    const name = !event.own && this.#detail.settledBy;
    this.app.toast({ text: this.getText(`inbox.done_${outcome}${name ? "_by" : ""}`, { title, name }) });
    if (!event.own) return;
    this.#decidedId = event.id;
    this.#openNext();
  }

  /** Say that a vote counts, and open the next request; this one stays in the list until others have voted. */
  #onVote(missing: number): void {
    const { title } = this.#detail;
    const text = this.getText("inbox.voted", { title, count: missing });
    this.app.toast({ text });
    this.#openNext();
  }

  #openNext(): void {
    const isOpen = this.#inboxList.order.some(({ id }) => id === this.#nextId);
    this.app.go(this.#pathTo(isOpen ? this.#nextId : ""));
  }

  #drawEntry({ id, style, request }: Entry, place: HTMLElement): void {
    const { app, getText, item } = this;
    render(
      style === "group" || !request
        ? html`<div class="group"><h2>${getText(`inbox.${id as Group}`)}</h2>${id === "missed" && this.#drawSeeAll()}</div>`
        : drawRow({
            app,
            reader: this,
            request,
            href: this.#pathTo(id),
            isOpen: id === item,
            isSelected: this.#bulk.has(id),
            isMine: this.#facts.isMine(request),
            toggle: () => this.#bulk.toggle(id),
          }),
      place,
    );
  }

  #drawSeeAll(): Template {
    const { personal } = this.app.inbox;
    const markAllSeen = (): void => void personal.markSeen(personal.missedReminders.map(({ id }) => id));
    return html` <button type="button" class="link" .onclick=${markAllSeen}>${this.getText("inbox.see_all")}</button>`;
  }

  #drawNothing(): Template {
    const { requests, loading } = this.app.inbox;
    if (!requests || loading) return drawLoading(this.getText);
    const isFiltered = requests.length > 0;
    const clearFilter = (): void => {
      this.text = "";
      this.app.go(pathOf("inbox", this.item), { replace: true });
    };
    return isFiltered
      ? drawEmpty({
          title: this.getText("inbox.no_match"),
          action: html`<button type="button" .onclick=${clearFilter}>${this.getText("inbox.show_everything")}</button>`,
        })
      : drawEmpty({
          icon: placeIcons.tick,
          title: this.getText("inbox.empty"),
          text: this.getText("inbox.hint"),
          code: 'from askback import Client\nClient().ask("Which city?", thread_id="trip")',
        });
  }

  #drawTools(): Template {
    const { getText } = this;
    const filter = this.#filter;
    const { filteredRequests } = this.#inboxList;
    const { requests = [] } = this.app.inbox;
    const search = (text: string): void => {
      this.text = text;
    };
    const set = (name: string) => (value: string) => this.#setFilter(name, value);
    const titleOf = (request: InputRequest): string => this.app.inbox.conversationOf(request, getText);
    return html`${drawSearch(getText("inbox.search"), this.text, search)}
      ${drawChips(getText("inbox.filters"), chipsOf(filteredRequests, filter.show, this.#facts, getText), filter.show, set("show"))}
      <div class="selects">
        ${drawSelect(getText("inbox.agent"), getText("inbox.every_agent"), valuesOf(requests, agentOf), filter.agent, set("agent"))}
        ${drawSelect(
          getText("thread"),
          getText("inbox.every_thread"),
          valuesOf(requests, ({ thread_id }) => thread_id, titleOf),
          filter.thread,
          set("thread"),
        )}
      </div>`;
  }

  #drawHead(): Template {
    const { getText } = this;
    const count = this.app.inbox.mine.length;
    const { dueCount } = this.#inboxList;
    const about = [
      count > 0 && getText("inbox.open", { count }),
      dueCount > 0 && getText("inbox.due_soon", { count: dueCount }),
    ];
    const actions = html`${
      count > 0 &&
      html`<button type="button" class="quiet" aria-pressed=${String(this.selecting)} .onclick=${() => {
        this.selecting = !this.selecting;
        if (!this.selecting) this.#bulk.select([]);
      }}>${getText("inbox.select")}</button>`
    }
    <button type="button" class="quiet icon-only help" aria-label=${getText("app.keys")} title=${getText("app.keys")} .onclick=${() => this.app.showKeys()}>?</button>`;
    return drawHeading(getText("app.inbox"), about.filter(Boolean).join(" · "), actions);
  }

  protected override render(): Template {
    const { getText } = this;
    const { order, entries } = this.#inboxList;
    const answerableRequests = order.filter((request) => this.#facts.isMine(request));
    const position = {
      index: order.findIndex(({ id }) => id === this.item),
      total: order.length,
      step: (by: number) => this.#move(by),
      close: () => this.#close(),
    };
    const hasRequests = (this.app.inbox.requests?.length ?? 0) > 0;
    return html`<div class="split" data-open=${String(this.item !== "")} data-select=${String(this.selecting || !this.#bulk.isEmpty)}>
      <section class="pane list" aria-label=${getText("inbox.list")}>
        <div class="bar">${this.#drawHead()} ${hasRequests && this.#drawTools()}</div>
        ${entries.length > 0 ? html`<ul class="rows"></ul>` : this.#drawNothing()}
        ${this.#bulk.draw(answerableRequests)}
      </section>
      ${this.#detail.draw(position)}
    </div>
    ${this.#detail.drawSheet()}`;
  }
}

/** Whether something happened in the open request. */
const inRequest = (event: Event): boolean =>
  event.composedPath().some((item) => item instanceof Element && item.matches(".pane.detail"));
