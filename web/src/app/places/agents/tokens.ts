import type { Token, TokenPage } from "../../../core/generated/wire.ts";
import { html, type Template } from "../../../elements/html.ts";
import { encode, PagedSection, read } from "../../section.ts";
import { type Column, drawTable } from "../../ui/table.ts";

const DAY_S = 86_400;
/** Days after which a new token ends; 0 is never, which only an agent's token may be. */
const LIFETIMES = [0, 1, 7, 30, 90];

/** The tokens of agents and people; the secret of a new one is shown once. */
export class Tokens extends PagedSection<Token, TokenPage> {
  override readonly roles = ["admin"];
  protected readonly path = "/v1/tokens";
  #isCreating = false;
  #secret = "";

  protected itemsOf(page: TokenPage): readonly Token[] {
    return page.tokens;
  }

  async #revoke({ id, name }: Token): Promise<void> {
    const confirmed = await this.host.app.confirm({
      title: this.getText("revoke_title", { name }),
      text: this.getText("revoke_text"),
      yes: this.getText("revoke"),
      danger: true,
    });
    if (confirmed)
      await this.change("DELETE", `/v1/tokens/${encode(id)}`, {}, this.getText("revoked_done", { name }));
  }

  #show(open: boolean): void {
    this.#isCreating = open;
    this.#secret = "";
    this.host.redraw();
  }

  async #make(event: Event): Promise<void> {
    event.preventDefault();
    const { name, role, days } = read(event.target as HTMLFormElement);
    const lifetime = Number(days) > 0 ? { expires_in_s: Number(days) * DAY_S } : {};
    const body = { role, name: name || null, ...lifetime };
    const created = await this.change<Token & { token: string }>("POST", "/v1/tokens", body);
    this.#secret = created?.token ?? "";
    this.host.focusOn("#made");
  }

  override drawActions(): Template {
    return html`<button type="button" class="primary" .onclick=${() => this.#show(true)}>${this.getText("new_token")}</button>`;
  }

  override drawDialog(): Template | false {
    if (!this.#isCreating) return false;
    return html`<askback-modal heading=${this.getText("new_token")} .onclose=${() => this.#show(false)}>
      ${this.#secret ? this.#drawSecret() : this.#drawForm()}
    </askback-modal>`;
  }

  #drawSecret(): Template {
    return html`<div class="stack">
      <p id="made" tabindex="-1">${this.getText("token_once")}</p>
      <div class="sample"><code>${this.#secret}</code><askback-copy .text=${this.#secret}></askback-copy></div>
    </div>`;
  }

  #drawForm(): Template {
    const roles = ["requester", "responder", "admin"];
    return html`<form class="stack" .onsubmit=${(event: Event) => void this.#make(event)}>
      <label for="name">${this.getText("name")}</label>
      <input id="name" name="name" type="text" autocomplete="off" maxlength="100" autofocus />
      <label for="role">${this.getText("role")}</label>
      <select id="role" name="role">
        ${roles.map((role) => html`<option value=${role}>${this.getText(`role_${role}`)}</option>`)}
      </select>
      <label for="days">${this.getText("ends")}</label>
      <select id="days" name="days">
        ${LIFETIMES.map((days) => html`<option value=${String(days)}>${this.getText(days === 0 ? "ends_default" : "ends_days", { days })}</option>`)}
      </select>
      <div class="actions end"><button type="submit" class="primary">${this.getText("make_token")}</button></div>
    </form>`;
  }

  #drawEnd({ expires_at }: Token): Template | string {
    if (!expires_at) return this.getText("never");
    return Date.parse(expires_at) <= this.host.app.client.now
      ? this.getText("ended")
      : html`<askback-time look="left" at=${expires_at}></askback-time>`;
  }

  draw(): Template | undefined {
    if (!this.list) return undefined;
    // The operator's own token is that of the machine, and cannot be revoked over the network.
    const isFixed = ({ role, revoked_at, expires_at }: Token): boolean =>
      role === "operator" ||
      !!revoked_at ||
      (!!expires_at && Date.parse(expires_at) <= this.host.app.client.now);
    const columns: Column<Token>[] = [
      {
        label: this.getText("token"),
        draw: (token) =>
          html`<strong><bdi>${token.name}</bdi></strong> ${token.revoked_at && html`<span class="tag bad">${this.getText("revoked")}</span>`}`,
      },
      { label: this.getText("role"), draw: ({ role }) => this.getText(`role_${role}`) },
      {
        label: this.getText("last_used"),
        draw: ({ last_used_at }) =>
          last_used_at
            ? html`<askback-time look="long" at=${last_used_at}></askback-time>`
            : html`<span class="muted">${this.getText("unused")}</span>`,
      },
      { label: this.getText("time_left"), draw: (token) => this.#drawEnd(token) },
      {
        label: this.getText("actions"),
        quiet: true,
        draw: (token) =>
          !isFixed(token) &&
          html`<button type="button" .onclick=${() => void this.#revoke(token)}>${this.getText("revoke")}<span class="hidden"> ${token.name}</span></button>`,
      },
    ];
    return html`${drawTable(this.getText("tokens"), columns, this.list)}
      ${this.drawMore()}`;
  }
}
