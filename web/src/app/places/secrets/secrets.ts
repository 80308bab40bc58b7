import type { AgentPage, AgentRecord, SecretPage, StoredSecret } from "../../../core/generated/wire.ts";
import { html, type Template } from "../../../elements/html.ts";
import { draw } from "../../../elements/icons.ts";
import { encode, PagedSection, read } from "../../section.ts";
import { drawEmpty } from "../../ui/states.ts";
import { type Column, drawTable } from "../../ui/table.ts";
import { ValueField } from "./value.ts";

const ICON = draw("M15 4a5 5 0 1 1-4.600 7L3 18.500V21h3v-2h2v-2h2l2.500-2.500M16 8v.01");

/** What a person does in a dialog: replace a value, add a secret, or choose who may use one. */
type OpenDialog =
  | { readonly what: "replace"; readonly secret: StoredSecret; readonly value: ValueField }
  | { readonly what: "add"; readonly value: ValueField }
  | { readonly what: "agents"; readonly secret: StoredSecret };

/** The secrets that this person may manage, newest first. */
export class Secrets extends PagedSection<StoredSecret, SecretPage> {
  protected readonly path = "/v1/secrets";
  #agents: readonly AgentRecord[] = [];
  #openDialog: OpenDialog | undefined;
  /** Whether the secret that is added belongs to a project. */
  #inProject = false;
  /** Whether every agent may use the secret whose agents are chosen. */
  #forAllAgents = false;

  protected itemsOf(page: SecretPage): readonly StoredSecret[] {
    return page.secrets;
  }

  override async read(): Promise<void> {
    const [{ agents }] = await Promise.all([
      this.host.app.client.get<AgentPage>("/v1/agents?limit=200"),
      super.read(),
    ]);
    this.#agents = agents;
  }

  #show(open?: OpenDialog): void {
    this.#openDialog = open;
    this.#inProject = false;
    this.#forAllAgents = open?.what === "agents" && open.secret.agents === "all";
    this.host.redraw();
  }

  #field(): ValueField {
    return new ValueField(this.host.root, () => {
      this.host.redraw();
      return this.host.updateComplete;
    });
  }

  async #send(event: Event, value: ValueField, body: Record<string, unknown>): Promise<void> {
    event.preventDefault();
    if (await this.change("POST", "/v1/secrets", { ...body, value: value.typedValue })) {
      value.clear();
      this.#show();
      this.host.app.toast({ text: this.getText("kept", { name: body.name }) });
    } else value.focus();
  }

  #replace(event: Event, { name, scope, thread_id, project, owner }: StoredSecret, value: ValueField): void {
    const scopeFields = scope === "session" ? { thread_id } : { project, owner };
    const location = Object.entries(scopeFields).filter(([, part]) => part != null);
    void this.#send(event, value, { name, scope, ...Object.fromEntries(location) });
  }

  #add(event: Event, value: ValueField): void {
    const { name, project, mine } = read(event.target as HTMLFormElement);
    const scopeFields = this.#inProject ? { scope: "project", project } : { scope: "global" };
    const owner = mine ? { owner: this.host.app.me?.user } : {};
    void this.#send(event, value, { name, ...scopeFields, ...owner });
  }

  async #choose(event: Event, { id, name }: StoredSecret): Promise<void> {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    const agents = this.#forAllAgents ? "all" : form.getAll("agent").map(String);
    const message = this.getText("chosen", { name });
    if (await this.change("PUT", `/v1/secrets/${encode(id)}/agents`, { agents }, message)) this.#show();
  }

  async #erase({ id, name }: StoredSecret): Promise<void> {
    const confirmed = await this.host.app.confirm({
      title: this.getText("erase_title", { name }),
      text: this.getText("erase_text"),
      yes: this.getText("erase"),
      danger: true,
    });
    if (confirmed)
      await this.change("DELETE", `/v1/secrets/${encode(id)}`, {}, this.getText("erased", { name }));
  }

  override drawActions(): Template {
    return html`<button type="button" class="primary" .onclick=${() => this.#show({ what: "add", value: this.#field() })}>${this.getText("add")}</button>`;
  }

  override drawDialog(): Template | false {
    const open = this.#openDialog;
    if (!open) return false;
    const heading =
      open.what === "add"
        ? this.getText("add")
        : this.getText(`${open.what}_title`, { name: open.secret.name });
    return html`<askback-modal heading=${heading} .onclose=${() => this.#show()}>
      ${open.what === "agents" ? this.#drawChoice(open.secret) : open.what === "add" ? this.#drawAdd(open.value) : this.#drawReplace(open.secret, open.value)}
    </askback-modal>`;
  }

  #drawReplace(secret: StoredSecret, value: ValueField): Template {
    return html`<form class="stack" .onsubmit=${(event: Event) => this.#replace(event, secret, value)}>
      <p>${this.getText("replace_text")}</p>
      ${value.draw(this.host.getText)}
      <div class="actions end"><button type="submit" class="primary">${this.getText("replace")}</button></div>
    </form>`;
  }

  #drawAdd(value: ValueField): Template {
    const move = (event: Event): void => {
      this.#inProject = (event.target as HTMLSelectElement).value === "project";
      this.host.redraw();
    };
    return html`<form class="stack" .onsubmit=${(event: Event) => this.#add(event, value)}>
      <label for="name">${this.getText("name")}</label>
      <input id="name" name="name" type="text" required autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="STRIPE_KEY" autofocus />
      ${value.draw(this.host.getText)}
      <label for="scope">${this.getText("where")}</label>
      <select id="scope" .onchange=${move}>
        <option value="global">${this.getText("in_global")}</option>
        <option value="project">${this.getText("in_one_project")}</option>
      </select>
      ${
        this.#inProject &&
        html`<label for="project">${this.getText("project")}</label>
          <input id="project" name="project" type="text" required autocomplete="off" spellcheck="false" />`
      }
      <label class="tick"><input type="checkbox" name="mine" value="yes" />${this.getText("mine")}</label>
      <div class="actions end"><button type="submit" class="primary">${this.getText("keep")}</button></div>
    </form>`;
  }

  #drawChoice(secret: StoredSecret): Template {
    const set = (forAllAgents: boolean) => (): void => {
      this.#forAllAgents = forAllAgents;
      this.host.redraw();
    };
    const allowed = secret.agents === "all" ? [] : (secret.agents ?? []);
    const isAllowed = (id: string): boolean => allowed.includes(id);
    const listedAgents = this.#agents.filter(({ id, stopped_at }) => !stopped_at || isAllowed(id));
    // An agent beyond the page that was read keeps the secret unless the person takes it away.
    const unlistedIds = allowed.filter((id) => !this.#agents.some((agent) => agent.id === id));
    const agents = [...listedAgents, ...unlistedIds.map((id) => ({ id, name: id }))];
    return html`<form class="stack" .onsubmit=${(event: Event) => void this.#choose(event, secret)}>
      <fieldset><legend>${this.getText("who")}</legend>
        <label class="tick"><input type="radio" name="who" value="some" .checked=${!this.#forAllAgents} .onchange=${set(false)} autofocus />${this.getText("some")}</label>
        <label class="tick"><input type="radio" name="who" value="all" .checked=${this.#forAllAgents} .onchange=${set(true)} />${this.getText("every_agent")}</label>
      </fieldset>
      ${
        !this.#forAllAgents &&
        html`<fieldset><legend>${this.getText("agents")}</legend>
          ${agents.length === 0 && html`<p class="muted">${this.getText("no_agents")}</p>`}
          ${agents.map(({ id, name }) => html`<label class="tick"><input type="checkbox" name="agent" value=${id} .checked=${isAllowed(id)} /><bdi>${name}</bdi></label>`)}
        </fieldset>`
      }
      <p class="muted">${this.getText("revoke_text")}</p>
      <div class="actions end"><button type="submit" class="primary">${this.getText("save")}</button></div>
    </form>`;
  }

  #drawLocation({ scope, project, thread_id }: StoredSecret): unknown {
    const thread = thread_id ?? "";
    if (scope === "session")
      return html`${this.getText("in_session")} <bdi>${this.host.app.inbox.titleOf(thread) || thread}</bdi>`;
    return scope === "project"
      ? html`${this.getText("in_project")} <bdi>${project}</bdi>`
      : this.getText("in_global");
  }

  #drawOwner({ owner }: StoredSecret): unknown {
    if (!owner) return this.getText("shared");
    return owner === this.host.app.me?.user ? this.getText("yours") : html`<bdi>${owner}</bdi>`;
  }

  #drawAgents({ agents }: StoredSecret): unknown {
    if (agents === "all") return this.getText("every_agent");
    if (!agents?.length) return html`<span class="muted">${this.getText("nobody")}</span>`;
    const names = agents.map((id) => this.#agents.find((item) => item.id === id)?.name ?? id);
    return html`<bdi>${new Intl.ListFormat(this.host.locale).format(names)}</bdi>`;
  }

  #drawButtons(secret: StoredSecret): Template {
    const button = (action: string, act: () => void, className = ""): Template =>
      html`<button type="button" class=${className || false} .onclick=${act}>${this.getText(action)}<span class="hidden"> ${secret.name}</span></button>`;
    return html`<div class="actions">
      ${button("replace", () => this.#show({ what: "replace", secret, value: this.#field() }))}
      ${button("access", () => this.#show({ what: "agents", secret }))}
      ${button("erase", () => void this.#erase(secret), "danger")}
    </div>`;
  }

  draw(): Template | undefined {
    const list = this.list;
    if (!list) return undefined;
    if (list.length === 0)
      return drawEmpty({
        icon: ICON,
        title: this.getText("empty"),
        text: this.getText("empty_text"),
        code: 'ask.secrets.request(["STRIPE_KEY"], reason="to read the invoices")',
      });
    const columns: Column<StoredSecret>[] = [
      {
        label: this.getText("name"),
        draw: (secret) =>
          html`<strong><code dir="ltr">${secret.name}</code></strong><span class="muted">${this.#drawLocation(secret)} · ${this.#drawOwner(secret)}</span>`,
      },
      { label: this.getText("who"), draw: (secret) => this.#drawAgents(secret) },
      {
        label: this.getText("set"),
        draw: ({ set_at, set_by }) =>
          html`<askback-time look="long" at=${set_at}></askback-time>${set_by && html`<span class="muted"><bdi>${set_by.name}</bdi></span>`}`,
      },
      {
        label: this.getText("used"),
        draw: ({ used_at, used_by }) =>
          used_at
            ? html`<askback-time look="long" at=${used_at}></askback-time><span class="muted"><bdi>${used_by?.name}</bdi></span>`
            : html`<span class="muted">${this.getText("unused")}</span>`,
      },
      { label: this.getText("actions"), quiet: true, draw: (secret) => this.#drawButtons(secret) },
    ];
    return html`${drawTable(this.host.heading, columns, list)}
      ${this.drawMore()}`;
  }
}
