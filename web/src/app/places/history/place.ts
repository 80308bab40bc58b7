import texts from "../../../../../src/askback/messages/en.json?place=history&texts" with { type: "json" };
import inboxTexts from "../../../../../src/askback/messages/en.json?place=inbox&texts" with { type: "json" };
import type { Client } from "../../../client/client.ts";
import { followRequest } from "../../../client/follow-request.ts";
import type { AgentPage, InputRequest, PersonPage, RequestPage } from "../../../core/generated/wire.ts";
import { isTerminal } from "../../../core/lifecycle.ts";
import { addTexts } from "../../../core/messages.ts";
import { escapeText } from "../../../elements/approval/escapes.ts";
import { type ChangedProperties, drawList } from "../../../elements/element.ts";
import { html, render, type Template } from "../../../elements/html.ts";
import { loadKinds } from "../../../elements/kinds.ts";
import { needsTexts } from "../../../elements/localtexts.ts";
import type { AskbackRequest } from "../../../elements/request.ts";
import { placeIcons } from "../../icons.ts";
import { PlaceElement } from "../../place.ts";
import { pathOf } from "../../router.ts";
import { titleOrId } from "../../titles.ts";
import { drawHeading } from "../../ui/heading.ts";
import { handleListKeys, LIST_KEYS } from "../../ui/listnavigation.ts";
import { drawEmpty, drawError, drawLoading } from "../../ui/states.ts";
import { type Chip, drawChips, drawSearch, drawSelect } from "../../ui/toolbar.ts";
import { Comments } from "../inbox/comments.ts";
import { inboxStyles } from "../inbox/inbox.css.ts";
import { agentOf, titleOf } from "../inbox/words.ts";
import { historyStyles } from "./history.css.ts";
import { OUTCOMES, outcomeOf, settlerOf, tagClassOf } from "./words.ts";

addTexts(inboxTexts);
addTexts(texts);

const KINDS = ["approval", "form", "secret", "action"];
const DAY_MS = 24 * 3600_000;
const TIMES: Record<string, number> = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS };
/** The parts of the address that are filters of the server as they are. */
const FILTERS = ["q", "kind", "outcome", "by", "agent", "thread_id"];
const TYPING_MS = 250;
/** The delay before the newest are read again after a request has ended; several ends in that time cause one read. */
const RELOAD_DELAY_MS = 300;

/** Every settled request: who decided what, when and why. */
export class Place extends PlaceElement {
  static override styles = [...PlaceElement.styles, inboxStyles, historyStyles];
  override readonly keys = { list: LIST_KEYS };
  readonly #comments = new Comments(this);
  #requests: readonly InputRequest[] | undefined;
  #cursor: string | null = null;
  #failed = false;
  /** The latest search; an earlier one that answers later is ignored. */
  #search = 0;
  #people: readonly Chip[] = [];
  #agents: readonly Chip[] = [];
  #typing: ReturnType<typeof setTimeout> | undefined;
  #card: AskbackRequest | undefined;
  #open: InputRequest | undefined;
  #isMissing = false;
  #unfollow: (() => void) | undefined;
  #leaveKeys: (() => void) | undefined;
  #reloadTimer: ReturnType<typeof setTimeout> | undefined;

  get heading(): string {
    return this.#open ? titleOf(this.#open, this) : this.getText("app.history");
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const chips = (people: readonly { id: string; name: string }[]): Chip[] =>
      people.map(({ id, name }) => ({ id, label: name })).sort((a, b) => a.label.localeCompare(b.label));
    const { client } = this.app;
    const leaveKeys = handleListKeys(this);
    const unfollow = this.#follow(client);
    this.#leaveKeys = () => {
      leaveKeys();
      unfollow();
      clearTimeout(this.#reloadTimer);
      this.#reloadTimer = undefined;
    };
    void client.get<PersonPage>("/v1/people?limit=200").then(({ people }) => {
      this.#people = chips(people);
      this.redraw();
    }, ignore);
    void client.get<AgentPage>("/v1/agents?limit=200").then(({ agents }) => {
      this.#agents = chips(agents);
      this.redraw();
    }, ignore);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#typing);
    this.#leaveKeys?.();
    this.#close();
  }

  protected override willUpdate(changed: ChangedProperties): void {
    if (changed.has("query")) void this.#load();
    if (changed.has("item")) this.#show(this.item);
  }

  /** Read the newest again when a request has ended, here or elsewhere. */
  #follow(client: Client): () => void {
    let isFirst = true;
    const reloadSoon = (): void => {
      this.#reloadTimer ??= setTimeout(() => {
        this.#reloadTimer = undefined;
        void this.#load("", true);
      }, RELOAD_DELAY_MS);
    };
    return client.follow({
      async sync() {
        // What ended while there was no connection.
        if (!isFirst) reloadSoon();
        isFirst = false;
      },
      event: (event) => {
        if ("request" in event && isTerminal(event.request.status)) reloadSoon();
      },
      refused: ignore,
    });
  }

  /** Search, read the next page from `cursor`, or with `again` read what is newer. */
  async #load(cursor = "", isReload = false): Promise<void> {
    this.#search += 1;
    const search = this.#search;
    if (!cursor && !isReload) this.#requests = undefined;
    this.#failed = false;
    const query = new URLSearchParams(cursor ? { cursor } : {});
    for (const name of FILTERS) {
      const value = this.query?.get(name);
      if (value) query.set(name, value);
    }
    const periodMs = TIMES[this.query?.get("time") ?? ""];
    if (periodMs) query.set("settled_after", new Date(this.app.client.now - periodMs).toISOString());
    try {
      const page = await this.app.client.get<RequestPage>(`/v1/history?${query}`);
      if (page.requests.some(needsTexts)) await import("../../../elements/texts/texts.ts").catch(ignore);
      if (search !== this.#search) return;
      const ids = new Set(page.requests.map(({ id }) => id));
      const earlierRequests = this.#requests ?? [];
      const older = earlierRequests.filter(({ id }) => !ids.has(id));
      // Without one that is known there may be more between the newest and the others.
      const isJoined = older.length < earlierRequests.length;
      if (!isReload) this.#requests = [...older, ...page.requests];
      else this.#requests = isJoined ? [...page.requests, ...older] : page.requests;
      if (!isReload || !isJoined) this.#cursor = page.next_cursor;
    } catch {
      if (search === this.#search) this.#failed = !isReload || !this.#requests;
    }
    this.redraw();
  }

  #show(id: string): void {
    this.#close();
    if (!id) return;
    const { client } = this.app;
    const card = document.createElement("askback-request");
    card.client = client;
    card.headingLevel = 2;
    card.unfolded = true;
    this.#card = card;
    const show = (request: InputRequest): void => {
      card.request = request;
      void Promise.resolve(loadKinds([request])).then(() => {
        if (card !== this.#card) return;
        this.#open = request;
        this.#comments.open(request);
        this.redraw();
      });
    };
    this.#unfollow = followRequest(client, id, show, () => {
      this.#isMissing = true;
      this.redraw();
    });
  }

  #close(): void {
    this.#unfollow?.();
    this.#unfollow = this.#card = this.#open = undefined;
    this.#isMissing = false;
    this.#comments.close();
  }

  /** The address with another filter; `item` stays open. */
  #filter(name: string, value: string): void {
    const query = new URLSearchParams(this.query);
    if (value) query.set(name, value);
    else query.delete(name);
    this.app.go(this.#path(this.item, query), { replace: true });
  }

  #path(item: string, query = this.query): string {
    return `${pathOf("history", item)}${query?.size ? `?${query}` : ""}`;
  }

  #type(text: string): void {
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.#filter("q", text.trim()), TYPING_MS);
  }

  protected override updated(): void {
    drawList(this.root.querySelector(".rows"), this.#requests ?? [], (request, place) =>
      render(this.#drawRow(request), place),
    );
  }

  #drawRow(request: InputRequest): Template {
    const { id, settled_at, thread_title, thread_id } = request;
    const outcome = outcomeOf(request);
    const details = [
      settlerOf(request, this.getText),
      agentOf(request),
      titleOrId(thread_id, thread_title),
    ].filter(Boolean);
    return html`<a class="row" href=${this.#path(id)} aria-current=${id === this.item && "true"}>
      <span class="t">${escapeText(titleOf(request, this))}</span>
      <askback-time class="when" at=${settled_at}></askback-time>
      <span class="s"><span class=${`tag ${tagClassOf(outcome)}`}>${this.getText(`history.outcome_${outcome}`)}</span> ${escapeText(details.join(" · "))}</span>
    </a>`;
  }

  #drawFilters(): Template {
    const { getText } = this;
    const get = (name: string): string => this.query?.get(name) ?? "";
    const select = (name: string, allLabel: string, chips: readonly Chip[]) =>
      drawSelect(getText(`history.${allLabel}`), getText(`history.any_${allLabel}`), chips, get(name), (id) =>
        this.#filter(name, id),
      );
    const kinds = KINDS.map((id) => ({ id, label: getText(`history.kind_${id}`) }));
    const outcomes = OUTCOMES.map((id) => ({ id, label: getText(`history.outcome_${id}`) }));
    const times = Object.keys(TIMES).map((id) => ({ id, label: getText(`history.${id}`) }));
    return html`${drawSearch(getText("history.search"), get("q"), (text) => this.#type(text))}
      ${drawChips(getText("history.kind"), [{ id: "", label: getText("history.all") }, ...kinds], get("kind"), (id) => this.#filter("kind", id))}
      <div class="selects">
        ${select("outcome", "outcome", outcomes)} ${select("by", "person", this.#people)}
        ${select("agent", "agent", this.#agents)} ${select("time", "time", times)}
      </div>`;
  }

  /** Whether nothing has been settled yet: then there is nothing to filter. */
  get #isEmpty(): boolean {
    return this.#requests?.length === 0 && !this.query?.size && !this.#cursor;
  }

  #drawRows(): Template {
    const { getText } = this;
    if (this.#failed) return drawError(getText, () => void this.#load());
    if (!this.#requests) return drawLoading(getText);
    const moreButton =
      this.#cursor &&
      html`<button type="button" class="more" .onclick=${() => void this.#load(this.#cursor ?? "")}>${getText("history.more")}</button>`;
    if (this.#requests.length > 0) return html`<ul class="rows"></ul>${moreButton}`;
    if (this.#isEmpty)
      return drawEmpty({
        icon: placeIcons.tick,
        title: getText("history.empty"),
        text: getText("history.hint"),
      });
    const clear = html`<a href=${pathOf("history")}>${getText("history.clear")}</a>`;
    return drawEmpty({
      icon: placeIcons.search,
      title: getText("history.nothing"),
      action: html`${moreButton || clear}`,
    });
  }

  /** What the card below does not say: when exactly, and where to read on. */
  #drawFacts(request: InputRequest): Template {
    const { getText } = this;
    const outcome = outcomeOf(request);
    return html`<p class="verdict">
      <span class=${`tag ${tagClassOf(outcome)}`}>${getText(`history.outcome_${outcome}`)}</span>
      <span>${escapeText(settlerOf(request, getText))}</span>
      <askback-time class="when" look="long" at=${request.settled_at}></askback-time>
      <a class="end" href=${pathOf("conversations", request.thread_id)}>${getText("history.conversation")}</a>
      ${this.app.me?.role === "admin" && html`<a href=${`/audit?request_id=${encodeURIComponent(request.id)}`}>${getText("history.audit")}</a>`}
    </p>`;
  }

  #drawDetail(): Template {
    const { getText } = this;
    const content = this.#isMissing ? html`<p class="empty">${getText("gone")}</p>` : this.#card;
    return html`<section class="pane detail" tabindex="-1" aria-label=${getText("inbox.request")}>
      ${
        this.item
          ? html`<div class="bar">
              <a class="back" href=${this.#path("")}>${placeIcons.back}${getText("app.history")}</a>
              ${this.#open?.settled_at && this.#drawFacts(this.#open)}
            </div>
            <div class="body">${content}${this.#comments.draw()}</div>`
          : !!this.#requests?.length && html`<p class="empty">${getText("history.none")}</p>`
      }
    </section>`;
  }

  protected override render(): Template {
    return html`<div class="split" data-open=${String(this.item !== "")}>
      <section class="pane list" aria-label=${this.getText("history.list")}>
        <div class="bar">${drawHeading(this.getText("app.history"))}${!this.#isEmpty && this.#drawFilters()}</div>
        ${this.#drawRows()}
      </section>
      ${this.#drawDetail()}
    </div>`;
  }
}

const ignore = (): void => {};
