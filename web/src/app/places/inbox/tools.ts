import { newKey } from "../../../client/key.ts";
import { assigneesOf, isSame, readOnlyReason } from "../../../core/audience.ts";
import type { InputRequest, KnownPerson, PersonPage } from "../../../core/generated/wire.ts";
import { isTerminal } from "../../../core/lifecycle.ts";
import { html, type Template } from "../../../elements/html.ts";
import { draw } from "../../../elements/icons.ts";
import type { PlaceElement } from "../../place.ts";
import { drawTool } from "../../ui/tool.ts";
import { reminderMoments, reminderText } from "./moments.ts";

const ASSIGN_ICON = draw(
  "M10 5a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7M3.500 20c.5-3.500 3-5.500 6.500-5.500M17 13v7M13.500 16.500h7",
);
const REMIND_ICON = draw(
  "M12 7a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13M12 10v3.500l2 1.500M5 4L2.500 6.500M19 4l2.500 2.500",
);
const BACK_ICON = draw("M4 13l2.500-8h11l2.500 8v6H4zM4 13h4.500l1.500 2.500h4l1.500-2.500H20");

type ModalName = "" | "assign" | "remind";

/** What a person does with the open request beside answering: assign it to others, or put it aside. */
export class RequestTools {
  #request: InputRequest | undefined;
  #openModal: ModalName = "";
  #people: readonly KnownPerson[] | undefined;
  #assigneeIds: ReadonlySet<string> = new Set();
  #remindAt = "";
  #failed = "";

  /** `onReminderSet` is called after the open request was put aside. */
  constructor(
    private readonly place: PlaceElement,
    private readonly onReminderSet: () => void,
  ) {}

  open(request: InputRequest | undefined): void {
    if (request?.id !== this.#request?.id) this.#openModal = "";
    this.#request = request;
  }

  /** Whether this person may hand the request to others. */
  get #canAssign(): boolean {
    const { me } = this.place.app;
    if (!this.#request || !me) return false;
    const { by } = this.#request.assignment ?? {};
    const blockedReason = readOnlyReason(this.#request, me);
    return !blockedReason || (blockedReason === "for" && isSame(me, by));
  }

  #show(modal: ModalName): void {
    this.#openModal = modal;
    this.#failed = "";
    this.place.redraw();
  }

  async #openAssign(): Promise<void> {
    const request = this.#request;
    if (!request) return;
    this.#people = undefined;
    this.#assigneeIds = new Set(request.assignment?.assignees ?? []);
    this.#show("assign");
    const path = `/v1/people?limit=200&request_id=${encodeURIComponent(request.id)}`;
    const people = await this.place.app.client.get<PersonPage>(path).catch(() => undefined);
    this.#people = [...(people?.people ?? [])].sort((a, b) => a.name.localeCompare(b.name));
    this.place.redraw();
  }

  /** Assign the request; null assigns it back to the agent's assignees. */
  async #assign(assignees: readonly string[] | null): Promise<void> {
    const request = this.#request;
    if (!request) return;
    const { app, getText } = this.place;
    const send = (newAssignees: readonly string[] | null) =>
      app.client.post(
        `/v1/requests/${encodeURIComponent(request.id)}/assign`,
        { assignees: newAssignees },
        newKey(),
      );
    try {
      await send(assignees);
    } catch (error) {
      this.#failed = error instanceof Error && error.message ? error.message : getText("app.failed");
      this.place.redraw();
      return;
    }
    this.#show("");
    const previousAssignees = request.assignment?.assignees ?? null;
    const names = this.#people?.filter(({ id }) => assignees?.includes(id)).map(({ name }) => name);
    const text = assignees
      ? getText("inbox.assigned", { names: names?.join(", ") ?? "" })
      : getText("inbox.unassigned");
    app.toast({ text, undo: () => void send(previousAssignees).catch(() => {}) });
  }

  async #remind(time: Date | undefined): Promise<void> {
    const request = this.#request;
    if (!request) return;
    const { app, getText, locale } = this.place;
    const { personal } = app.inbox;
    const iso = time?.toISOString();
    try {
      await personal.remind(request.id, iso);
    } catch {
      this.#failed = getText("inbox.remind_failed");
      this.place.redraw();
      return;
    }
    this.#show("");
    if (!time) return;
    const undo = (): void => void personal.remind(request.id, undefined).catch(() => {});
    app.toast({ text: getText("inbox.reminded", { time: reminderText(time, locale) }), undo });
    this.onReminderSet();
  }

  /** Draw the buttons; nothing for a request that has ended. */
  drawButtons(): Template | false {
    const request = this.#request;
    if (!request || isTerminal(request.status)) return false;
    const { getText, app } = this.place;
    const hasReminder = app.inbox.personal.isReminded(request.id);
    const assign = (): void => void this.#openAssign();
    const cancelReminder = (): void => void this.#remind(undefined);
    return html`${this.#canAssign && drawTool("assign", ASSIGN_ICON, getText("inbox.assign"), assign)}
      ${
        hasReminder
          ? drawTool("back-now", BACK_ICON, getText("inbox.back_now"), cancelReminder)
          : drawTool("remind", REMIND_ICON, getText("inbox.remind"), () => this.#show("remind"))
      }`;
  }

  /** Draw the dialog that is open. */
  drawModal(): Template | false {
    if (this.#openModal === "assign") return this.#drawAssign();
    return this.#openModal === "remind" && this.#drawRemind();
  }

  #drawAssign(): Template {
    const { getText } = this.place;
    const people = this.#people ?? [];
    const toggle = (id: string): void => {
      const assigneeIds = new Set(this.#assigneeIds);
      if (!assigneeIds.delete(id)) assigneeIds.add(id);
      this.#assigneeIds = assigneeIds;
      this.place.redraw();
    };
    const current = this.#request ? assigneesOf(this.#request) : [];
    return html`<askback-modal heading=${getText("inbox.assign_title")} .onclose=${() => this.#show("")}>
      <p>${getText("inbox.assign_about")}</p>
      ${!this.#people && html`<p class="loading" role="status">${getText("loading")}</p>`}
      ${this.#people && people.length === 0 && html`<p>${getText("inbox.assign_nobody")}</p>`}
      <fieldset class="people" aria-label=${getText("inbox.assign_title")}>
        ${people.map(
          ({ id, name }) => html`<label class="check">
            <input type="checkbox" .checked=${this.#assigneeIds.has(id)} .onchange=${() => toggle(id)} />
            <bdi>${name}</bdi>${this.#drawPersonHint(id, name)}${current.includes(id) && html` <span class="muted">${getText("inbox.assign_now")}</span>`}
          </label>`,
        )}
      </fieldset>
      <p role="alert">${this.#failed}</p>
      <div class="actions end">
        ${this.#request?.assignment?.assignees && html`<button type="button" .onclick=${() => void this.#assign(null)}>${getText("inbox.assign_back")}</button>`}
        <button type="button" class="primary" aria-disabled=${this.#assigneeIds.size === 0} .onclick=${() => this.#assigneeIds.size > 0 && void this.#assign([...this.#assigneeIds])}>${getText("inbox.assign_yes")}</button>
      </div>
    </askback-modal>`;
  }

  /** Draw what tells people of one name apart. */
  #drawPersonHint(id: string, name: string): Template | false {
    const { me } = this.place.app;
    if (id === (me?.user ?? me?.id))
      return html` <span class="muted">${this.place.getText("inbox.assign_you")}</span>`;
    const isShared = (this.#people ?? []).filter((item) => item.name === name).length > 1;
    return isShared && html` <span class="muted">${id}</span>`;
  }

  #drawRemind(): Template {
    const { getText, app, locale } = this.place;
    const now = new Date(app.client.now);
    const oninput = (event: Event): void => {
      this.#remindAt = (event.target as HTMLInputElement).value;
    };
    const onsubmit = (event: Event): void => {
      event.preventDefault();
      if (this.#remindAt) void this.#remind(new Date(this.#remindAt));
    };
    return html`<askback-modal heading=${getText("inbox.remind_title")} .onclose=${() => this.#show("")}>
      <p>${getText("inbox.remind_about")}</p>
      <div class="moments">
        ${reminderMoments(now).map(
          ({ name, at }) =>
            html`<button type="button" .onclick=${() => void this.#remind(at)}>${getText(`inbox.at_${name}`)}<span class="muted">${reminderText(at, locale)}</span></button>`,
        )}
      </div>
      <form class="actions end" .onsubmit=${onsubmit}>
        <label for="at">${getText("inbox.remind_at")}</label>
        <input type="datetime-local" id="at" required .oninput=${oninput} />
        <button type="submit" class="primary">${getText("inbox.remind_yes")}</button>
      </form>
      <p role="alert">${this.#failed}</p>
    </askback-modal>`;
  }
}
