import texts from "../../../../../src/askback/messages/en.json?place=audit&texts" with { type: "json" };
import { newKey } from "../../../client/key.ts";
import type { AuditEntries } from "../../../core/generated/wire.ts";
import { addTexts } from "../../../core/messages.ts";
import { html, type Template } from "../../../elements/html.ts";
import { PlaceElement } from "../../place.ts";
import { pathOf } from "../../router.ts";
import { download } from "../../ui/download.ts";
import { drawHeading } from "../../ui/heading.ts";
import { drawEmpty, drawError, drawLoading } from "../../ui/states.ts";
import { drawTable } from "../../ui/table.ts";
import { drawSelect } from "../../ui/toolbar.ts";
import { auditStyles } from "./audit.css.ts";
import { actorOf, drawAbout, drawDetails, SUBJECTS, subjectOf } from "./entry.ts";
import { Verifier } from "./verifier.ts";

addTexts(texts);

const PAGE = 50;
/** After a pause in typing the log is searched. */
const PAUSE_MS = 300;
const FILTERS = ["actor", "action", "request_id", "thread_id", "from", "to"] as const;
type Filter = (typeof FILTERS)[number];
type Entry = AuditEntries["entries"][number];

/** Who decided what and when, newest first; the filters are in the address. */
export class Place extends PlaceElement {
  static override styles = [...PlaceElement.styles, auditStyles];

  readonly #verifier = new Verifier(this);
  /** Undefined until they are known. */
  #entries: readonly Entry[] | undefined;
  #names: AuditEntries["names"] = { agents: {}, threads: {} };
  #nextCursor: number | null = null;
  #isLoaded = 0;
  #failed = false;
  #loadCount = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  get heading(): string {
    return this.getText("app.audit");
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#verifier.stop();
    clearTimeout(this.#timer);
  }

  protected override willUpdate(changed: ReadonlyMap<string, unknown>): void {
    if (changed.has("query")) void this.#load();
  }

  #value(name: Filter): string {
    return this.query.get(name) ?? "";
  }

  #set(name: Filter, value: string): void {
    const query = new URLSearchParams(this.query);
    if (value.trim()) query.set(name, value.trim());
    else query.delete(name);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.app.go(`${pathOf("audit")}?${query}`, { replace: true }), PAUSE_MS);
  }

  /** The filters as the server reads them: days of this place become moments. */
  #searchQuery(cursor: number | null): URLSearchParams {
    const query = new URLSearchParams({ limit: String(PAGE) });
    for (const name of ["actor", "action", "request_id", "thread_id"] as const)
      if (this.#value(name)) query.set(name, this.#value(name));
    const from = Date.parse(`${this.#value("from")}T00:00:00`);
    const to = Date.parse(`${this.#value("to")}T23:59:59.999`);
    if (from) query.set("created_after", new Date(from).toISOString());
    if (to) query.set("created_before", new Date(to).toISOString());
    if (cursor !== null) query.set("cursor", String(cursor));
    return query;
  }

  /** Read the newest entries, or with `more` those before. */
  async #load(isNextPage = false): Promise<void> {
    this.#loadCount += 1;
    const loadCount = this.#loadCount;
    try {
      const query = this.#searchQuery(isNextPage ? this.#nextCursor : null);
      const page = await this.app.client.get<AuditEntries>(`/v1/audit/entries?${query}`);
      if (loadCount !== this.#loadCount) return;
      this.#entries = [...(isNextPage ? (this.#entries ?? []) : []), ...page.entries];
      const { agents, threads } = this.#names;
      this.#names = {
        agents: { ...agents, ...page.names.agents },
        threads: { ...threads, ...page.names.threads },
      };
      this.#isLoaded = page.checked + (isNextPage ? this.#isLoaded : 0);
      this.#nextCursor = page.next_cursor;
      this.#failed = false;
    } catch {
      if (loadCount !== this.#loadCount) return;
      this.#failed = true;
    }
    this.redraw();
  }

  async #export(): Promise<void> {
    try {
      const body = { path: "/v1/audit/export" };
      const { url } = await this.app.client.post<{ url: string }>("/v1/session/addresses", body, newKey());
      download(url, "audit.jsonl");
    } catch {
      this.app.toast({ text: this.getText("app.failed") });
    }
  }

  #drawFilters(): Template {
    const { getText } = this;
    const field = (name: Filter, type: string, label: string, hint?: string): Template =>
      html`<label>${label}<input type=${type} name=${name} placeholder=${hint} autocomplete="off" spellcheck="false" .value=${this.#value(name)} .oninput=${(event: Event) => this.#set(name, (event.target as HTMLInputElement).value)} /></label>`;
    const subjects = SUBJECTS.map((id) => ({ id, label: getText(`audit.subject_${id}`) }));
    return html`<form class="filters" role="search" .onsubmit=${(event: Event) => event.preventDefault()}>
      ${field("actor", "text", getText("audit.who"), getText("audit.who_hint"))}
      <div class="label"><span aria-hidden="true">${getText("audit.what")}</span>${drawSelect(getText("audit.what"), getText("audit.all"), subjects, this.#value("action"), (id) => this.#set("action", id))}</div>
      ${field("from", "date", getText("audit.from"))}
      ${field("to", "date", getText("audit.to"))}
      ${field("request_id", "text", getText("audit.request"), "req_…")}
      ${field("thread_id", "text", getText("audit.thread"), getText("audit.thread_hint"))}
    </form>`;
  }

  #drawEntries(): Template {
    const { getText } = this;
    const entries = this.#entries;
    if (this.#failed) return drawError(getText, () => void this.#load());
    if (!entries) return drawLoading(getText);
    const isFiltered = FILTERS.some((name) => this.#value(name));
    if (entries.length === 0 && this.#nextCursor === null)
      return drawEmpty({
        title: getText(isFiltered ? "audit.none_found" : "audit.empty"),
        text: getText(isFiltered ? "audit.none_found_text" : "audit.empty_text"),
      });
    return drawTable<Entry>(
      getText("app.audit"),
      [
        {
          label: getText("audit.when"),
          draw: ({ at }) => at && html`<askback-time at=${at} look="long"></askback-time>`,
        },
        { label: getText("audit.who"), draw: (entry) => actorOf(entry, this.#names.agents, getText) },
        { label: getText("audit.what"), draw: (entry) => subjectOf(entry, getText) },
        { label: getText("audit.about_column"), draw: (entry) => drawAbout(entry, this.#names, getText) },
        { label: getText("audit.entry"), draw: (entry) => drawDetails(entry, getText) },
      ],
      entries,
    );
  }

  protected override render(): Template {
    const { getText } = this;
    const actions = html`<button type="button" .onclick=${() => void this.#export()}>${getText("audit.export")}</button>
      ${this.#verifier.drawButton()}`;
    return html`<div class="page">
      ${drawHeading(getText("app.audit"), getText("audit.about"), actions)}
      ${this.#verifier.draw()}
      ${this.#drawFilters()}
      ${this.#drawEntries()}
      ${
        this.#nextCursor !== null &&
        html`<p class="muted" role="status">${getText("audit.checked", { count: this.#isLoaded })}</p>
        <button type="button" .onclick=${() => void this.#load(true)}>${getText("audit.more")}</button>`
      }
    </div>`;
  }
}
