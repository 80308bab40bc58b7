import type { Address, BrowserSession, SessionList } from "../../../core/generated/wire.ts";
import { html, type Template } from "../../../elements/html.ts";
import { encode, read, Section } from "../../section.ts";
import { type Column, drawTable } from "../../ui/table.ts";
import { drawCode } from "./code.ts";

/** The browsers that are signed in; an admin sees everybody's, and makes links for more. */
export class Browsers extends Section {
  #sessions: readonly BrowserSession[] | undefined;
  #isCreating = false;
  /** The address of a new link. */
  #link = "";

  async read(): Promise<void> {
    this.#sessions = (await this.host.app.client.get<SessionList>("/v1/sessions")).sessions;
  }

  async #end({ id, name, device }: BrowserSession): Promise<void> {
    const confirmed = await this.host.app.confirm({
      title: this.getText("end_title", { name }),
      text: device || this.getText("unknown_device"),
      yes: this.getText("end"),
      danger: true,
    });
    if (confirmed)
      await this.change("DELETE", `/v1/sessions/${encode(id)}`, {}, this.getText("ended_done", { name }));
  }

  #show(open: boolean): void {
    this.#isCreating = open;
    this.#link = "";
    this.host.redraw();
  }

  async #make(event: Event): Promise<void> {
    event.preventDefault();
    const { name, role } = read(event.target as HTMLFormElement);
    const created = await this.change<Address>("POST", "/v1/login-links", { name: name || null, role });
    this.#link = created?.url ?? "";
    this.host.focusOn("#made");
  }

  override drawActions(): Template | false {
    return (
      this.isAdmin &&
      html`<button type="button" class="primary" .onclick=${() => this.#show(true)}>${this.getText("invite")}</button>`
    );
  }

  override drawDialog(): Template | false {
    if (!this.#isCreating) return false;
    return html`<askback-modal heading=${this.getText("invite")} .onclose=${() => this.#show(false)}>
      ${this.#link ? this.#drawLink() : this.#drawForm()}
    </askback-modal>`;
  }

  #drawForm(): Template {
    return html`<form class="stack" .onsubmit=${(event: Event) => void this.#make(event)}>
      <label for="name">${this.getText("name")}</label>
      <input id="name" name="name" type="text" autocomplete="off" maxlength="100" value=${this.host.app.me?.name} autofocus />
      <label for="role">${this.getText("role")}</label>
      <select id="role" name="role">
        <option value="responder">${this.getText("role_responder")}</option>
        <option value="admin">${this.getText("role_admin")}</option>
      </select>
      <div class="actions end"><button type="submit" class="primary">${this.getText("make_link")}</button></div>
    </form>`;
  }

  #drawLink(): Template {
    return html`<div class="stack">
      <p id="made" tabindex="-1">${this.getText("link_hint")}</p>
      ${drawCode(this.#link, this.getText("qr"))}
      <div class="sample"><code>${this.#link}</code><askback-copy .text=${this.#link}></askback-copy></div>
    </div>`;
  }

  draw(): Template | undefined {
    if (!this.#sessions) return undefined;
    const columns: Column<BrowserSession>[] = [
      {
        label: this.getText("person"),
        draw: ({ name, current }) =>
          html`<strong><bdi>${name}</bdi></strong> ${current && html`<span class="tag good">${this.getText("this_browser")}</span>`}`,
      },
      {
        label: this.getText("device"),
        draw: ({ device }) => deviceName(device) || this.getText("unknown_device"),
      },
      {
        label: this.getText("last_used"),
        draw: ({ last_used_at }) => html`<askback-time look="long" at=${last_used_at}></askback-time>`,
      },
      {
        label: this.getText("actions"),
        quiet: true,
        draw: (session) =>
          !session.current &&
          html`<button type="button" .onclick=${() => void this.#end(session)}>${this.getText("end")}<span class="hidden"> ${session.name}</span></button>`,
      },
    ];
    return drawTable(this.getText("browsers"), columns, this.#sessions);
  }
}

const BROWSERS = ["Edg", "Firefox", "Chrome", "Safari"];
const SYSTEMS = ["iPhone", "iPad", "Android", "Windows", "Mac OS X", "Linux"];
const NAMES: Record<string, string> = { Edg: "Edge", "Mac OS X": "macOS" };

/** The browser and the system that a `User-Agent` names; what it says otherwise as it is. */
function deviceName(agent: string): string {
  const foundNames = [BROWSERS, SYSTEMS].map((names) => names.find((name) => agent.includes(name)));
  const words = foundNames.filter((name) => name !== undefined).map((name) => NAMES[name] ?? name);
  return words.length > 0 ? words.join(", ") : agent;
}
