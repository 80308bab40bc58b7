import type { AgentPage, AgentRecord, Root } from "../../../core/generated/wire.ts";
import { html, type Template } from "../../../elements/html.ts";
import { draw } from "../../../elements/icons.ts";
import { encode, PagedSection } from "../../section.ts";
import { drawEmpty } from "../../ui/states.ts";
import { type Column, drawTable } from "../../ui/table.ts";

const ICON = draw("M7 8h10v9H7zM12 8V5M10 12v.01M14 12v.01M4 11v3M20 11v3");

/** The agents: for whom they work, what they may read, and the button that stops one. */
export class Agents extends PagedSection<AgentRecord, AgentPage> {
  protected readonly path = "/v1/agents";

  protected itemsOf(page: AgentPage): readonly AgentRecord[] {
    return page.agents;
  }

  async #stop({ id, name }: AgentRecord): Promise<void> {
    const confirmed = await this.host.app.confirm({
      title: this.getText("stop_title", { name }),
      text: this.getText("stop_text"),
      yes: this.getText("stop"),
      danger: true,
    });
    if (confirmed)
      await this.change("POST", `/v1/agents/${encode(id)}/stop`, {}, this.getText("stopped_done", { name }));
  }

  async #revoke({ id, name }: AgentRecord, { path }: Root): Promise<void> {
    const confirmed = await this.host.app.confirm({
      title: this.getText("root_title", { name, path }),
      text: this.getText("root_text"),
      yes: this.getText("revoke"),
    });
    const address = `/v1/agents/${encode(id)}/roots?path=${encode(path)}`;
    if (confirmed) await this.change("DELETE", address, {}, this.getText("revoked_done", { name: path }));
  }

  #drawRoot(agent: AgentRecord, root: Root): Template {
    const { path } = root;
    return html`<li>
      <code>${path}</code>
      ${!agent.stopped_at && html`<button type="button" class="quiet" .onclick=${() => void this.#revoke(agent, root)}>${this.getText("revoke")}<span class="hidden"> ${path}</span></button>`}
    </li>`;
  }

  draw(): Template | undefined {
    const list = this.list;
    if (!list) return undefined;
    if (list.length === 0)
      return drawEmpty({
        icon: ICON,
        title: this.getText("none"),
        text: this.getText("none_hint"),
        code: "askback token create --role requester --name my-agent",
      });
    const columns: Column<AgentRecord>[] = [
      {
        label: this.getText("agent"),
        draw: ({ name, stopped_at }) =>
          html`<strong><bdi>${name}</bdi></strong> ${stopped_at && html`<span class="tag bad">${this.getText("stopped")}</span>`}`,
      },
      { label: this.getText("works_for"), draw: ({ user }) => (user ? html`<bdi>${user}</bdi>` : "–") },
      {
        label: this.getText("roots"),
        draw: (agent) =>
          agent.roots.length > 0
            ? html`<ul class="plain">${agent.roots.map((root) => this.#drawRoot(agent, root))}</ul>`
            : html`<span class="muted">${this.getText("no_roots")}</span>`,
      },
      {
        label: this.getText("since"),
        draw: ({ created_at }) =>
          created_at && html`<askback-time look="long" at=${created_at}></askback-time>`,
      },
      {
        label: this.getText("actions"),
        quiet: true,
        draw: (agent) =>
          !agent.stopped_at &&
          html`<button type="button" class="danger" .onclick=${() => void this.#stop(agent)}>${this.getText("stop")}<span class="hidden"> ${agent.name}</span></button>`,
      },
    ];
    return html`${drawTable(this.getText("agents"), columns, list)}
      ${this.drawMore()}`;
  }
}
