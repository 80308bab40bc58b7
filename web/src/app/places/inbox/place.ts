import texts from "../../../../../src/askback/messages/en.json?place=inbox" with { type: "json" };
import type { InputRequest } from "../../../core/generated/wire.ts";
import { addTexts } from "../../../core/messages.ts";
import type { Changed } from "../../../elements/element.ts";
import type { SettledEvent } from "../../../elements/events.ts";
import { html, render, type Template } from "../../../elements/html.ts";
import { needsTexts } from "../../../elements/localtexts.ts";
import { icons } from "../../icons.ts";
import { focused, singleKey } from "../../keys.ts";
import { PlaceElement } from "../../place.ts";
import { pathOf } from "../../router.ts";
import { drawHeading } from "../../ui/heading.ts";
import { ALL_KEYS } from "../../ui/keylist.ts";
import { drawEmpty, drawLoading } from "../../ui/states.ts";
import { drawChips, drawSearch, drawSelect } from "../../ui/toolbar.ts";
import { VirtualList } from "../../ui/virtual.ts";
import { Bulk } from "./bulk.ts";
import { Detail } from "./detail.ts";
import { chipsOf, Facts, type Filter, narrow, valuesOf } from "./filters.ts";
import { type Group, group } from "./groups.ts";
import { inbox } from "./inbox.css.ts";
import { drawRow } from "./row.ts";
import { agentOf } from "./words.ts";

addTexts(texts);

/** A row of the list, or the name of a group above its rows. */
interface Entry {
  readonly id: string;
  readonly look: "row" | "group";
  readonly request?: InputRequest;
}

/** What is in the list now. */
interface Listed {
  readonly entries: readonly Entry[];
  /** The requests in the order of the list. */
  readonly order: readonly InputRequest[];
  /** Those that the filters but `show` leave. */
  readonly narrowed: readonly InputRequest[];
  readonly due: number;
}

/** Everything that waits for this person, and beside it the request that is open. */
export class Place extends PlaceElement {
  static override styles = [...PlaceElement.styles, inbox];
  static override properties = { ...PlaceElement.properties, text: "", selecting: false };

  /** What is searched for. */
  declare text: string;
  /** Whether each row has its checkbox in sight. */
  declare selecting: boolean;

  override readonly keys = ALL_KEYS;
  readonly #detail = new Detail(
    this,
    (missing) => this.#voted(missing),
    () => this.#openNext(),
  );
  readonly #bulk = new Bulk(this);
  readonly #facts = new Facts(this, (thread) => this.app.inbox.titleOf(thread));
  readonly #list = new VirtualList<Entry>((entry, place) => this.#drawEntry(entry, place));
  #listed: Listed = { entries: [], order: [], narrowed: [], due: 0 };
  /** What is opened after the open request is decided. */
  #following = "";
  /** The request that was decided here last: its row is about to go. */
  #decided = "";
  #first = true;
  /** The open request whose row was brought into view. */
  #revealed = "";
  /** Whether the focus stays in the list although another request is opened. */
  #staying = false;
  #stop: (() => void) | undefined;

  constructor() {
    super();
    this.addEventListener("askback-settled", (event) => this.#settled(event));
    this.root.addEventListener("keydown", (event) => this.#escape(event as KeyboardEvent), { capture: true });
  }

  get heading(): string {
    return this.#detail.title || this.say("app.inbox");
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const { inbox } = this.app;
    const changed = (): void => void this.#prepare();
    const press = (event: KeyboardEvent): void => this.#press(event);
    inbox.addEventListener("change", changed);
    document.addEventListener("keydown", press);
    this.#stop = () => {
      inbox.removeEventListener("change", changed);
      document.removeEventListener("keydown", press);
    };
    changed();
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

  protected override willUpdate(changed: Changed): void {
    if (changed.has("item") && (changed.get("item") ?? "") !== this.item) this.#detail.open(this.item);
    const { requests = [], mine, later, personal } = this.app.inbox;
    this.#facts.mine = mine;
    const filter = this.#filter;
    const narrowed = narrow(requests, filter, this.#facts);
    const shown = (some: readonly InputRequest[]) =>
      some.filter((request) => this.#facts.isShown(request, filter.show));
    const found = shown(narrowed);
    const { now } = this.app.client;
    const aside = (name: Group, some: readonly InputRequest[]) =>
      [[name, shown(narrow(some, filter, this.#facts))] as const].filter(([, any]) => any.length > 0);
    const groups = [
      ...aside("missed", personal.missed),
      ...group(found, now, new Date(now).setHours(0, 0, 0, 0)),
      ...aside("later", later),
    ];
    // What is due soon comes before what nobody can answer any more.
    if (groups[1]?.[0] === "due") groups.unshift(...groups.splice(1, 1));
    const order = groups.flatMap(([, some]) => some);
    const entries = groups.flatMap(([name, some]): Entry[] => [
      { id: name, look: "group" },
      ...some.map((request): Entry => ({ id: request.id, look: "row", request })),
    ]);
    const due =
      groups.find(([name]) => name === "due")?.[1].filter((each) => this.#facts.isMine(each)).length ?? 0;
    this.#listed = { entries, order, narrowed, due };
    const at = order.findIndex(({ id }) => id === this.item);
    const isOpen = ({ settled_at }: InputRequest): boolean => !settled_at;
    if (at >= 0)
      this.#following = (order.slice(at + 1).find(isOpen) ?? order.slice(0, at).findLast(isOpen))?.id ?? "";
  }

  protected override updated(changed: Changed): void {
    const { root } = this;
    this.#list.update(root.querySelector(".rows"), root.querySelector(".pane.list"), this.#listed.entries);
    this.#reveal();
    if (!changed.has("item")) return;
    if (!this.item && !this.#first) this.#leave(changed.get("item") as string);
    else if (this.item && !this.#first && !this.#staying) this.#enter();
    this.#staying = false;
    this.#first = false;
  }

  /** Have the row of the open request in view, once for each that is opened: the list may be read later. */
  #reveal(): void {
    if (this.#revealed === this.item) return;
    const isListed = this.#listed.order.some(({ id }) => id === this.item);
    if (isListed) this.#list.reveal(this.item);
    if (isListed || !this.item) this.#revealed = this.item;
  }

  override focusHome(): void {
    if (this.item) this.#enter();
    else super.focusHome();
  }

  /** Give the focus to the open request, so that its keys work: its heading takes it once it is drawn. */
  #enter(): void {
    this.root.querySelector<HTMLElement>(".detail")?.focus();
  }

  /** Give the focus back to the row of the request that was open. */
  #leave(id: string): void {
    if (id !== this.#decided && this.#listed.order.some((request) => request.id === id)) this.#focusRow(id);
    else this.focusHome();
  }

  #focusRow(id: string): void {
    this.#list.reveal(id);
    this.root.querySelector<HTMLElement>(`li[data-id="${CSS.escape(id)}"] a`)?.focus();
  }

  /** Go to the next or the previous request; the focus stays in the list, or in the request. */
  #step(by: number): void {
    const { order } = this.#listed;
    const row = focused()?.closest<HTMLElement>("li[data-id]")?.dataset.id;
    const at = order.findIndex(({ id }) => id === (row ?? this.item));
    const next = order[at < 0 ? 0 : Math.min(order.length - 1, Math.max(0, at + by))];
    if (!next) return;
    if (focused()?.closest(".detail") || focused()?.closest("askback-request") || !row) {
      this.app.go(this.#pathTo(next.id), { replace: true });
      if (!row && !this.item) this.#focusRow(next.id);
    } else {
      this.#focusRow(next.id);
      if (!this.item || next.id === this.item) return;
      this.#staying = true;
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

  #press(event: KeyboardEvent): void {
    const key = singleKey(event);
    const [target] = event.composedPath();
    if (!key || !(target instanceof Element)) return;
    const act = this.#actionOf(key, target);
    if (act) {
      event.preventDefault();
      act();
    } else if (inRequest(event) && this.#detail.press(key, target)) event.preventDefault();
  }

  #actionOf(key: string, target: Element): (() => void) | undefined {
    const inList = target.closest(".pane.list") !== null;
    const row = target.closest<HTMLElement>("li[data-id]")?.dataset.id ?? this.item;
    const actions: Record<string, (() => void) | false> = {
      j: () => this.#step(1),
      k: () => this.#step(-1),
      ArrowDown: inList && (() => this.#step(1)),
      ArrowUp: inList && (() => this.#step(-1)),
      x: this.app.inbox.mine.some(({ id }) => id === row) && (() => this.#bulk.toggle(row)),
      s: !this.#bulk.isEmpty && (() => this.#bulk.focus()),
      "/": () => this.root.querySelector<HTMLElement>("#search")?.focus(),
      Escape: !this.#bulk.isEmpty && (() => this.#bulk.select([])),
    };
    return (Object.hasOwn(actions, key) && actions[key]) || undefined;
  }

  /** Say what was decided, and if it was decided here, open the next one. */
  #settled(event: SettledEvent): void {
    const { request, title, outcome } = this.#detail;
    if (request?.id !== event.id) return;
    const name = !event.own && this.#detail.settledBy;
    this.app.toast({ text: this.say(`inbox.done_${outcome}${name ? "_by" : ""}`, { title, name }) });
    if (!event.own) return;
    this.#decided = event.id;
    this.#openNext();
  }

  /** Say that a vote counts, and open the next request; this one stays in the list until others have voted. */
  #voted(missing: number): void {
    const { title } = this.#detail;
    const text = this.say("inbox.voted", { title, count: missing });
    this.app.toast({ text });
    this.#openNext();
  }

  #openNext(): void {
    const isOpen = this.#listed.order.some(({ id }) => id === this.#following);
    this.app.go(this.#pathTo(isOpen ? this.#following : ""));
  }

  #drawEntry({ id, look, request }: Entry, place: HTMLElement): void {
    const { app, say, item } = this;
    render(
      look === "group" || !request
        ? html`<h2 class="group">${say(`inbox.${id as Group}`)}${id === "missed" && this.#drawSeeAll()}</h2>`
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
    const all = (): void => void personal.see(personal.missed.map(({ id }) => id));
    return html` <button type="button" class="link" .onclick=${all}>${this.say("inbox.see_all")}</button>`;
  }

  #drawNothing(): Template {
    const { requests, loading } = this.app.inbox;
    if (!requests || loading) return drawLoading(this.say);
    const isFiltered = requests.length > 0;
    const all = (): void => {
      this.text = "";
      this.app.go(pathOf("inbox", this.item), { replace: true });
    };
    return isFiltered
      ? drawEmpty({
          title: this.say("inbox.no_match"),
          action: html`<button type="button" .onclick=${all}>${this.say("inbox.show_everything")}</button>`,
        })
      : drawEmpty({
          icon: icons.tick,
          title: this.say("inbox.empty"),
          text: this.say("inbox.hint"),
          code: 'from askback import Client\nClient().ask("Which city?", thread_id="trip")',
        });
  }

  #drawTools(): Template {
    const { say } = this;
    const filter = this.#filter;
    const { narrowed } = this.#listed;
    const { requests = [] } = this.app.inbox;
    const search = (text: string): void => {
      this.text = text;
    };
    const set = (name: string) => (value: string) => this.#setFilter(name, value);
    const titled = (request: InputRequest): string => this.app.inbox.conversationOf(request, say);
    return html`${drawSearch(say("inbox.search"), this.text, search)}
      ${drawChips(say("inbox.filters"), chipsOf(narrowed, filter.show, this.#facts, say), filter.show, set("show"))}
      <div class="selects">
        ${drawSelect(say("inbox.agent"), say("inbox.every_agent"), valuesOf(requests, agentOf), filter.agent, set("agent"))}
        ${drawSelect(
          say("thread"),
          say("inbox.every_thread"),
          valuesOf(requests, ({ thread_id }) => thread_id, titled),
          filter.thread,
          set("thread"),
        )}
      </div>`;
  }

  #drawHead(): Template {
    const { say } = this;
    const count = this.app.inbox.mine.length;
    const { due } = this.#listed;
    const about = [
      count > 0 && say("inbox.open", { count }),
      due > 0 && say("inbox.due_soon", { count: due }),
    ];
    const actions = html`${
      count > 0 &&
      html`<button type="button" class="quiet" aria-pressed=${String(this.selecting)} .onclick=${() => {
        this.selecting = !this.selecting;
        if (!this.selecting) this.#bulk.select([]);
      }}>${say("inbox.select")}</button>`
    }
    <button type="button" class="quiet icon-only help" aria-label=${say("app.keys")} title=${say("app.keys")} .onclick=${() => this.app.showKeys()}>?</button>`;
    return drawHeading(say("app.inbox"), about.filter(Boolean).join(" · "), actions);
  }

  protected override render(): Template {
    const { say } = this;
    const { order, entries } = this.#listed;
    const offered = order.filter((request) => this.#facts.isMine(request));
    const around = {
      at: order.findIndex(({ id }) => id === this.item),
      all: order.length,
      step: (by: number) => this.#step(by),
      close: () => this.#close(),
    };
    const hasAny = (this.app.inbox.requests?.length ?? 0) > 0;
    return html`<div class="split" data-open=${String(this.item !== "")} data-select=${String(this.selecting || !this.#bulk.isEmpty)}>
      <section class="pane list" aria-label=${say("inbox.list")}>
        <div class="bar">${this.#drawHead()} ${hasAny && this.#drawTools()}</div>
        ${entries.length > 0 ? html`<ul class="rows"></ul>` : this.#drawNothing()}
        ${this.#bulk.draw(offered)}
      </section>
      ${this.#detail.draw(around)}
    </div>
    ${this.#detail.drawSheet()}`;
  }
}

/** Whether something happened in the open request. */
const inRequest = (event: Event): boolean =>
  event.composedPath().some((each) => each instanceof Element && each.matches(".pane.detail"));
