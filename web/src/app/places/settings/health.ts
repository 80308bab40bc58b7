import type { Client } from "../../../client/client.ts";
import type { WireError } from "../../../client/errors.ts";
import type { InputRequest, RequestPage, ServerRecord } from "../../../core/generated/wire.ts";
import { html, type Template } from "../../../elements/html.ts";
import { pathOf, withLanguage } from "../../router.ts";
import { Section } from "../../section.ts";
import { type Column, drawTable } from "../../ui/table.ts";
import { verificationRecord } from "../../verification.ts";

const DATABASES = { sqlite: "SQLite", postgres: "PostgreSQL" };

/** Whether everything works: what is being checked, and for an admin the server and its audit log. */
export class Health extends Section {
  #isChecked: readonly InputRequest[] | undefined;
  #server: ServerRecord | undefined;
  /** Why the server cannot store a change; empty while it can. */
  #fault = "";

  /** What the server says about its database is shown also while nothing else can be read. */
  async read(): Promise<void> {
    const { client } = this.host.app;
    const fault = client.get("/readyz").then(
      () => "",
      (error: WireError) => {
        if (error.status === 0) throw error;
        return error.message;
      },
    );
    const reading = Promise.all([
      client.get<RequestPage>("/v1/requests?status=resolving&limit=50"),
      this.#readServer(client),
    ]).catch(() => [] as const);
    this.#fault = await fault;
    const [page, server] = await reading;
    this.#isChecked = page?.requests;
    this.#server = server;
    if (!page && !this.#fault) throw new Error();
  }

  /** Read what only an admin may see. */
  async #readServer(client: Client): Promise<ServerRecord | undefined> {
    const { principal } = await client.whoami();
    return principal.role === "admin" ? client.get<ServerRecord>("/v1/server") : undefined;
  }

  override drawActions(): Template {
    return html`<button type="button" .onclick=${() => void this.host.read()}>${this.getText("look_again")}</button>`;
  }

  #drawChecks(requests: readonly InputRequest[]): Template {
    const title = this.getText("checks");
    if (requests.length === 0) return html`<p class="muted">${this.getText("checks_none")}</p>`;
    const columns: Column<InputRequest>[] = [
      {
        label: this.getText("check_request"),
        draw: (request) =>
          html`<a href=${withLanguage(pathOf("inbox", request.id))}><bdi>${this.host.app.inbox.conversationOf(request, this.host.getText)}</bdi></a>`,
      },
      {
        label: this.getText("check_by"),
        draw: ({ check, requester }) =>
          html`<bdi>${check?.by?.name ?? requester?.name}</bdi><span class="muted">${this.getText(check?.state === "waiting" ? "check_waiting" : "check_running")}</span>`,
      },
      {
        label: this.getText("check_since"),
        draw: ({ check }) => check && html`<askback-time look="long" at=${check.since}></askback-time>`,
      },
      {
        label: this.getText("check_left"),
        draw: ({ check }) => check && html`<askback-time look="left" at=${check.until}></askback-time>`,
      },
    ];
    return drawTable(title, columns, requests);
  }

  #drawAudit({ audit }: ServerRecord): Template {
    const { seq, seal } = audit;
    const last = verificationRecord.last;
    return html`<dt>${this.host.getText("app.audit")}</dt>
      <dd>${this.getText("audit_head", { seq })} <span class=${seal.status === "sealed" ? "tag good" : "tag warn"}>${this.getText(`seal_${seal.status}`)}</span></dd>
      <dt>${this.getText("verified")}</dt>
      <dd>${last ? html`${this.getText("verified_until", { seq: last.seq })} <askback-time look="long" at=${last.at}></askback-time>` : this.getText("verified_never")} <a href=${withLanguage(pathOf("audit"))}>${this.getText("verify")}</a></dd>`;
  }

  #drawServer(server: ServerRecord): Template {
    const { version, database, migration } = server;
    return html`<dt>${this.getText("release")}</dt><dd>askback ${version}</dd>
      <dt>${this.getText("store")}</dt>
      <dd>${DATABASES[database]} · ${this.getText("migration", { number: migration })}</dd>
      ${this.#drawAudit(server)}
      <dt>${this.getText("backup")}</dt><dd>${this.getText("backup_text")} <code dir="ltr">askback backup DIR --keys FILE</code></dd>`;
  }

  draw(): Template | undefined {
    const checked = this.#isChecked;
    const fault = this.#fault;
    if (!checked && !fault) return undefined;
    return html`<div class="groups">
      ${checked && html`<div class="stack"><h2>${this.getText("checks")}</h2>${this.#drawChecks(checked)}</div>`}
      <div class="stack"><h2>${this.getText("server")}</h2>
        <dl class="facts">
          <dt>${this.getText("state")}</dt><dd><span class=${fault ? "tag bad" : "tag good"}>${this.getText(fault ? "not_ready" : "ready")}</span> ${fault && html`<span lang="en">${fault}</span>`}</dd>
          ${this.#server && this.#drawServer(this.#server)}
        </dl>
      </div>
    </div>`;
  }
}
