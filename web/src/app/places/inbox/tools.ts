import { newKey } from "../../../client/key.ts";
import { assigneesOf, isSame, readOnlyReason } from "../../../core/audience.ts";
import type { InputRequest, KnownPerson, PeopleList } from "../../../core/generated/wire.ts";
import { isTerminal } from "../../../core/lifecycle.ts";
import { html, type Template } from "../../../elements/html.ts";
import type { PlaceElement } from "../../place.ts";
import { moments, momentText } from "./moments.ts";

type Sheet = "" | "assign" | "remind";

/** What a person does with the open request beside answering: assign it to others, or put it aside. */
export class Tools {
  #request: InputRequest | undefined;
  #sheet: Sheet = "";
  #people: readonly KnownPerson[] | undefined;
  #chosen: ReadonlySet<string> = new Set();
  #at = "";
  #failed = "";

  /** `aside` is called after the open request was put aside. */
  constructor(
    private readonly place: PlaceElement,
    private readonly aside: () => void,
  ) {}

  open(request: InputRequest | undefined): void {
    if (request?.id !== this.#request?.id) this.#sheet = "";
    this.#request = request;
  }

  /** Whether this person may hand the request to others. */
  get #canAssign(): boolean {
    const { me } = this.place.app;
    if (!this.#request || !me) return false;
    const { by } = this.#request.assignment ?? {};
    const why = readOnlyReason(this.#request, me);
    return !why || (why === "for" && isSame(me, by));
  }

  #show(sheet: Sheet): void {
    this.#sheet = sheet;
    this.#failed = "";
    this.place.redraw();
  }

  async #openAssign(): Promise<void> {
    const request = this.#request;
    if (!request) return;
    this.#people = undefined;
    this.#chosen = new Set(request.assignment?.assignees ?? []);
    this.#show("assign");
    const path = `/v1/people?limit=200&request_id=${encodeURIComponent(request.id)}`;
    const found = await this.place.app.client.get<PeopleList>(path).catch(() => undefined);
    this.#people = [...(found?.people ?? [])].sort((a, b) => a.name.localeCompare(b.name));
    this.place.redraw();
  }

  /** Assign the request; null assigns it back to the agent's assignees. */
  async #assign(assignees: readonly string[] | null): Promise<void> {
    const request = this.#request;
    if (!request) return;
    const { app, say } = this.place;
    const send = (to: readonly string[] | null) =>
      app.client.post(`/v1/requests/${encodeURIComponent(request.id)}/assign`, { assignees: to }, newKey());
    try {
      await send(assignees);
    } catch (error) {
      this.#failed = error instanceof Error && error.message ? error.message : say("app.failed");
      this.place.redraw();
      return;
    }
    this.#show("");
    const before = request.assignment?.assignees ?? null;
    const names = this.#people?.filter(({ id }) => assignees?.includes(id)).map(({ name }) => name);
    const text = assignees
      ? say("inbox.assigned", { names: names?.join(", ") ?? "" })
      : say("inbox.unassigned");
    app.toast({ text, undo: () => void send(before).catch(() => {}) });
  }

  async #remind(at: Date | undefined): Promise<void> {
    const request = this.#request;
    if (!request) return;
    const { app, say, locale } = this.place;
    const { personal } = app.inbox;
    const iso = at?.toISOString();
    try {
      await personal.remind(request.id, iso);
    } catch {
      this.#failed = say("inbox.remind_failed");
      this.place.redraw();
      return;
    }
    this.#show("");
    if (!at) return;
    const undo = (): void => void personal.remind(request.id, undefined).catch(() => {});
    app.toast({ text: say("inbox.reminded", { time: momentText(at, locale) }), undo });
    this.aside();
  }

  /** Draw the buttons; nothing for a request that has ended. */
  drawButtons(): Template | false {
    const request = this.#request;
    if (!request || isTerminal(request.status)) return false;
    const { say, app } = this.place;
    const aside = app.inbox.personal.isAside(request.id);
    return html`${this.#canAssign && html`<button type="button" class="quiet" id="assign" .onclick=${() => void this.#openAssign()}>${say("inbox.assign")}</button>`}
      ${
        aside
          ? html`<button type="button" class="quiet" id="back-now" .onclick=${() => void this.#remind(undefined)}>${say("inbox.back_now")}</button>`
          : html`<button type="button" class="quiet" id="remind" .onclick=${() => this.#show("remind")}>${say("inbox.remind")}</button>`
      }`;
  }

  /** Draw the dialog that is open. */
  drawSheet(): Template | false {
    if (this.#sheet === "assign") return this.#drawAssign();
    return this.#sheet === "remind" && this.#drawRemind();
  }

  #drawAssign(): Template {
    const { say } = this.place;
    const people = this.#people ?? [];
    const toggle = (id: string): void => {
      const chosen = new Set(this.#chosen);
      if (!chosen.delete(id)) chosen.add(id);
      this.#chosen = chosen;
      this.place.redraw();
    };
    const current = this.#request ? assigneesOf(this.#request) : [];
    return html`<askback-modal heading=${say("inbox.assign_title")} .onclose=${() => this.#show("")}>
      <p>${say("inbox.assign_about")}</p>
      ${!this.#people && html`<p class="loading" role="status">${say("loading")}</p>`}
      ${this.#people && people.length === 0 && html`<p>${say("inbox.assign_nobody")}</p>`}
      <fieldset class="people" aria-label=${say("inbox.assign_title")}>
        ${people.map(
          ({ id, name }) => html`<label class="check">
            <input type="checkbox" .checked=${this.#chosen.has(id)} .onchange=${() => toggle(id)} />
            <bdi>${name}</bdi>${this.#distinguish(id, name)}${current.includes(id) && html` <span class="muted">${say("inbox.assign_now")}</span>`}
          </label>`,
        )}
      </fieldset>
      <p role="alert">${this.#failed}</p>
      <div class="actions end">
        ${this.#request?.assignment?.assignees && html`<button type="button" .onclick=${() => void this.#assign(null)}>${say("inbox.assign_back")}</button>`}
        <button type="button" class="primary" aria-disabled=${this.#chosen.size === 0} .onclick=${() => this.#chosen.size > 0 && void this.#assign([...this.#chosen])}>${say("inbox.assign_yes")}</button>
      </div>
    </askback-modal>`;
  }

  /** Draw what tells people of one name apart. */
  #distinguish(id: string, name: string): Template | false {
    const { me } = this.place.app;
    if (id === (me?.user ?? me?.id))
      return html` <span class="muted">${this.place.say("inbox.assign_you")}</span>`;
    const isShared = (this.#people ?? []).filter((each) => each.name === name).length > 1;
    return isShared && html` <span class="muted">${id}</span>`;
  }

  #drawRemind(): Template {
    const { say, app, locale } = this.place;
    const now = new Date(app.client.now);
    const oninput = (event: Event): void => {
      this.#at = (event.target as HTMLInputElement).value;
    };
    const onsubmit = (event: Event): void => {
      event.preventDefault();
      if (this.#at) void this.#remind(new Date(this.#at));
    };
    return html`<askback-modal heading=${say("inbox.remind_title")} .onclose=${() => this.#show("")}>
      <p>${say("inbox.remind_about")}</p>
      <div class="moments">
        ${moments(now).map(
          ({ name, at }) =>
            html`<button type="button" .onclick=${() => void this.#remind(at)}>${say(`inbox.at_${name}`)}<span class="muted">${momentText(at, locale)}</span></button>`,
        )}
      </div>
      <form class="actions end" .onsubmit=${onsubmit}>
        <input type="datetime-local" id="at" aria-label=${say("inbox.remind_at")} required .oninput=${oninput} />
        <button type="submit" class="primary">${say("inbox.remind_yes")}</button>
      </form>
      <p role="alert">${this.#failed}</p>
    </askback-modal>`;
  }
}
