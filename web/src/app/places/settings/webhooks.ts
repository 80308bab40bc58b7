import type { Attempt, Delivery, DeliveryPage, Webhook, WebhookList } from "../../../core/generated/wire.ts";
import { html, type Template } from "../../../elements/html.ts";
import { draw } from "../../../elements/icons.ts";
import { encode, Section } from "../../section.ts";
import { drawEmpty } from "../../ui/states.ts";
import { type Column, drawTable } from "../../ui/table.ts";

const ICON = draw("M9 8a3.500 3.500 0 1 1 5.500 2.800l3 5M9.500 10.500L6.500 16M10 17.500h7.500");
/** What a webhook can hear of, the usual one first. */
const EVENTS = ["resume", "request.created", "request.answered", "request.escalated", "request.expired"];

/** A webhook with its last delivery. */
interface Row {
  readonly hook: Webhook;
  readonly lastDelivery: Delivery | undefined;
}

/** The addresses that hear of requests. */
export class Webhooks extends Section {
  override readonly roles = ["admin"];
  #rows: readonly Row[] | undefined;
  /** What came back from a test, by webhook. */
  #tests: ReadonlyMap<string, Attempt> = new Map();
  #isAdding = false;
  /** The secret of the webhook that was added. */
  #secret = "";

  async read(): Promise<void> {
    const { client } = this.host.app;
    const { webhooks } = await client.get<WebhookList>("/v1/webhooks");
    this.#rows = await Promise.all(
      webhooks.map(async (hook) => {
        const page = await client.get<DeliveryPage>(`${pathTo(hook)}/deliveries?limit=1`);
        return { hook, lastDelivery: page.deliveries[0] };
      }),
    );
  }

  #show(isShown: boolean): void {
    this.#isAdding = isShown;
    this.#secret = "";
    this.host.redraw();
  }

  async #add(event: Event): Promise<void> {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    const body = { url: String(form.get("url")).trim(), events: form.getAll("event").map(String) };
    const created = await this.change<Webhook & { secret: string }>("POST", "/v1/webhooks", body);
    this.#secret = created?.secret ?? "";
    this.host.focusOn("#made");
  }

  async #test(hook: Webhook): Promise<void> {
    const attempt = await this.change<Attempt>("POST", `${pathTo(hook)}/test`);
    if (attempt) this.#tests = new Map([...this.#tests, [hook.id, attempt]]);
    this.host.redraw();
  }

  async #remove(hook: Webhook): Promise<void> {
    const confirmed = await this.host.app.confirm({
      title: this.getText("hook_remove_title"),
      text: this.getText("hook_remove_text", { url: hook.url }),
      yes: this.getText("hook_remove"),
      danger: true,
    });
    if (confirmed)
      await this.change("DELETE", pathTo(hook), {}, this.getText("hook_removed", { url: hook.url }));
  }

  override drawActions(): Template {
    return html`<button type="button" class="primary" .onclick=${() => this.#show(true)}>${this.getText("hook_add")}</button>`;
  }

  override drawDialog(): Template | false {
    if (!this.#isAdding) return false;
    return html`<askback-modal heading=${this.getText("hook_add")} .onclose=${() => this.#show(false)}>
      ${this.#secret ? this.#drawSecret() : this.#drawForm()}
    </askback-modal>`;
  }

  #drawSecret(): Template {
    return html`<div class="stack">
      <p id="made" tabindex="-1">${this.getText("hook_once")}</p>
      <div class="sample"><code>${this.#secret}</code><askback-copy .text=${this.#secret}></askback-copy></div>
    </div>`;
  }

  #drawForm(): Template {
    return html`<form class="stack" .onsubmit=${(event: Event) => void this.#add(event)}>
      <label for="url">${this.getText("hook_url")}</label>
      <input id="url" name="url" type="text" inputmode="url" required autocomplete="off" spellcheck="false" placeholder="https://agents.example.com/askback" autofocus />
      <fieldset><legend>${this.getText("hook_events")}</legend>
        ${EVENTS.map((event) => html`<label class="tick"><input type="checkbox" name="event" value=${event} .checked=${event === "resume"} /><span>${this.getText(`event_${event.replace(".", "_")}`)}<span class="muted"><code>${event}</code></span></span></label>`)}
      </fieldset>
      <div class="actions end"><button type="submit" class="primary">${this.getText("hook_make")}</button></div>
    </form>`;
  }

  /** What became of an attempt, in words. */
  #drawAttempt({ at, status, error }: Attempt): Template {
    const isDelivered = !!status && status < 300;
    const outcome = status
      ? this.getText("hook_status", { status })
      : this.getText("hook_error", { error: error ?? "?" });
    return html`<span class=${isDelivered ? "tag good" : "tag bad"}>${this.getText(isDelivered ? "hook_taken" : "hook_failed")}</span>
      <span class="muted">${outcome} · <askback-time look="long" at=${at}></askback-time></span>`;
  }

  #drawLast({ hook, lastDelivery }: Row): unknown {
    const test = this.#tests.get(hook.id);
    if (test)
      return html`<span role="status">${this.getText("hook_tested")} ${this.#drawAttempt(test)}</span>`;
    const attempt = lastDelivery?.attempts.at(-1);
    if (attempt)
      return html`${this.#drawAttempt(attempt)}${lastDelivery?.next_at && html`<span class="muted">${this.getText("hook_again")} <askback-time look="left" at=${lastDelivery.next_at}></askback-time></span>`}`;
    return html`<span class="muted">${this.getText("hook_none")}</span>`;
  }

  #drawButtons({ hook }: Row): Template {
    const button = (action: string, act: () => void, className = ""): Template =>
      html`<button type="button" class=${className || false} .onclick=${act}>${this.getText(action)}<span class="hidden"> ${hook.url}</span></button>`;
    const toggleActive = (): void => void this.change("PATCH", pathTo(hook), { active: !hook.active });
    return html`<div class="actions">
      ${button("hook_test", () => void this.#test(hook))}
      ${button(hook.active ? "hook_off" : "hook_on", toggleActive)}
      ${button("hook_remove", () => void this.#remove(hook), "danger")}
    </div>`;
  }

  draw(): Template | undefined {
    const rows = this.#rows;
    if (!rows) return undefined;
    if (rows.length === 0)
      return drawEmpty({
        icon: ICON,
        title: this.getText("hooks_empty"),
        text: this.getText("hooks_empty_text"),
        code: "askback webhook add https://agents.example.com/askback",
      });
    const columns: Column<Row>[] = [
      {
        label: this.getText("hook_url"),
        draw: ({ hook }) =>
          html`<code dir="ltr">${hook.url}</code> ${!hook.active && html`<span class="tag warn">${this.getText("hook_is_off")}</span>`}<span class="muted">${hook.events.join(", ")}</span>`,
      },
      { label: this.getText("hook_last"), draw: (row) => this.#drawLast(row) },
      { label: this.getText("actions"), quiet: true, draw: (row) => this.#drawButtons(row) },
    ];
    return drawTable(this.getText("webhooks"), columns, rows);
  }
}

const pathTo = ({ id }: Webhook): string => `/v1/webhooks/${encode(id)}`;
