import type { Address, BrowserSession, SessionList } from "../../../core/generated/wire.ts";
import { html, type Template } from "../../../elements/html.ts";
import { encode, read, Section } from "../../section.ts";
import { type Column, drawTable } from "../../ui/table.ts";
import { drawCode } from "./code.ts";

/** The browsers that are signed in; an admin sees everybody's, and makes links for more. */
export class Browsers extends Section {
  #list: readonly BrowserSession[] | undefined;
  #making = false;
  /** The address of a new link. */
  #link = "";

  async read(): Promise<void> {
    this.#list = (await this.host.app.client.get<SessionList>("/v1/sessions")).sessions;
  }

  async #end({ id, name, device }: BrowserSession): Promise<void> {
    const sure = await this.host.app.confirm({
      title: this.say("end_title", { name }),
      text: device || this.say("unknown_device"),
      yes: this.say("end"),
      danger: true,
    });
    if (sure) await this.change("DELETE", `/v1/sessions/${encode(id)}`, {}, this.say("ended_done", { name }));
  }

  #show(open: boolean): void {
    this.#making = open;
    this.#link = "";
    this.host.redraw();
  }

  async #make(event: Event): Promise<void> {
    event.preventDefault();
    const { name, role } = read(event.target as HTMLFormElement);
    const made = await this.change<Address>("POST", "/v1/login-links", { name: name || null, role });
    this.#link = made?.url ?? "";
    this.host.focusOn("#made");
  }

  override drawActions(): Template | false {
    return (
      this.isAdmin &&
      html`<button type="button" class="primary" .onclick=${() => this.#show(true)}>${this.say("invite")}</button>`
    );
  }

  override drawDialog(): Template | false {
    if (!this.#making) return false;
    return html`<askback-modal heading=${this.say("invite")} .onclose=${() => this.#show(false)}>
      ${this.#link ? this.#drawLink() : this.#drawForm()}
    </askback-modal>`;
  }

  #drawForm(): Template {
    return html`<form class="stack" .onsubmit=${(event: Event) => void this.#make(event)}>
      <label for="name">${this.say("name")}</label>
      <input id="name" name="name" type="text" autocomplete="off" maxlength="100" value=${this.host.app.me?.name} autofocus />
      <label for="role">${this.say("role")}</label>
      <select id="role" name="role">
        <option value="responder">${this.say("role_responder")}</option>
        <option value="admin">${this.say("role_admin")}</option>
      </select>
      <div class="actions end"><button type="submit" class="primary">${this.say("make_link")}</button></div>
    </form>`;
  }

  #drawLink(): Template {
    return html`<div class="stack">
      <p id="made" tabindex="-1">${this.say("link_hint")}</p>
      ${drawCode(this.#link, this.say("qr"))}
      <div class="sample"><code>${this.#link}</code><askback-copy .text=${this.#link}></askback-copy></div>
    </div>`;
  }

  draw(): Template | undefined {
    if (!this.#list) return undefined;
    const columns: Column<BrowserSession>[] = [
      {
        label: this.say("person"),
        draw: ({ name, current }) =>
          html`<strong><bdi>${name}</bdi></strong> ${current && html`<span class="tag good">${this.say("this_browser")}</span>`}`,
      },
      { label: this.say("device"), draw: ({ device }) => deviceName(device) || this.say("unknown_device") },
      {
        label: this.say("last_used"),
        draw: ({ last_used_at }) => html`<askback-time look="long" at=${last_used_at}></askback-time>`,
      },
      {
        label: this.say("actions"),
        quiet: true,
        draw: (session) =>
          !session.current &&
          html`<button type="button" .onclick=${() => void this.#end(session)}>${this.say("end")}<span class="hidden"> ${session.name}</span></button>`,
      },
    ];
    return drawTable(this.say("browsers"), columns, this.#list);
  }
}

const BROWSERS = ["Edg", "Firefox", "Chrome", "Safari"];
const SYSTEMS = ["iPhone", "iPad", "Android", "Windows", "Mac OS X", "Linux"];
const NAMES: Record<string, string> = { Edg: "Edge", "Mac OS X": "macOS" };

/** The browser and the system that a `User-Agent` names; what it says otherwise as it is. */
export function deviceName(agent: string): string {
  const found = [BROWSERS, SYSTEMS].map((names) => names.find((name) => agent.includes(name)));
  const words = found.filter((name) => name !== undefined).map((name) => NAMES[name] ?? name);
  return words.length > 0 ? words.join(", ") : agent;
}
