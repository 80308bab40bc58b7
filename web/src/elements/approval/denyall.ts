import { newKey } from "../../client/key.ts";
import type { InputRequest } from "../../core/wire.ts";
import { html, type Template } from "../html.ts";
import type { Sender } from "../kind.ts";
import { questionOf } from "../show.ts";
import type { Say } from "../text.ts";
import { escaped } from "./chips.ts";

/** The most requests of one batch, as the server limits it. */
const BATCH = 200;

interface Around {
  readonly say: Say;
  readonly client: Sender | undefined;
  redraw(): void;
  focusOn(selector: string): void;
}

interface Batch {
  results: { id: string; status: number; error?: { code: string } }[];
}

/** Refusals that leave nothing to deny: somebody else was first, or the time was over. */
const OVER = ["already_settled", "expired"];

/** Denying everything that waits: it lists every item, asks once, and denies just those that were listed. */
export class DenyAll {
  #listed: readonly InputRequest[] | null = null;
  #key = "";
  #busy = false;
  #sorry = "";

  constructor(
    private readonly around: Around,
    /** Where the focus goes when it is done. */
    private readonly home: string,
  ) {}

  /** Whether it asks now. */
  get asks(): boolean {
    return this.#listed !== null || this.#sorry !== "";
  }

  /** The button, where more than one waits and there is a server to tell. */
  drawButton(items: readonly InputRequest[]): Template | false {
    const { say, client } = this.around;
    const ask = (): void => this.#ask(items);
    return (
      items.length > 1 &&
      client?.post !== undefined &&
      html`<button type="button" class="quiet" id="all" .onclick=${ask}>${say("approvals.all")}</button>`
    );
  }

  /** The question, once the button was pressed. */
  drawQuestion(): Template | false {
    const { say } = this.around;
    const count = this.#listed?.length ?? 0;
    return (
      this.asks &&
      html`<div class="sure" role="group" aria-labelledby="all-sure">
        <p id="all-sure"><strong>${count > 0 && say("approvals.all_sure", { count })}</strong></p>
        <ul class="listed">${this.#listed?.map((item) => html`<li>${escaped(questionOf(item))}</li>`)}</ul>
        <p role="alert">${this.#sorry}</p>
        <div class="actions">
          ${count > 0 && html`<button type="button" class="danger primary" aria-disabled=${this.#busy} .onclick=${() => void this.#send()}>${say("approvals.all_yes", { count })}</button>`}
          <button type="button" id="back" .onclick=${() => this.leave()}>${say("sure_no")}</button>
        </div>
      </div>`
    );
  }

  /** Ask no longer. */
  leave(): void {
    this.#listed = null;
    this.#sorry = "";
    this.around.focusOn("#all");
  }

  #ask(items: readonly InputRequest[]): void {
    this.#listed = items;
    this.#key = newKey();
    this.around.focusOn("#back");
  }

  async #send(): Promise<void> {
    const { client, say } = this.around;
    if (this.#busy || !this.#listed || !client?.post) return;
    this.#busy = true;
    this.around.redraw();
    try {
      const left = new Set<string>();
      for (let at = 0; at < this.#listed.length; at += BATCH) {
        const requests = this.#listed
          .slice(at, at + BATCH)
          .map(({ id, revision, approval }) => ({ id, revision, digest: approval?.digest }));
        const body = { action: "decline", reason: "refused", requests };
        const { results } = await client.post<Batch>("/v1/requests/batch", body, `${this.#key}${at || ""}`);
        for (const { id, status, error } of results)
          if (status !== 200 && !OVER.includes(error?.code ?? "")) left.add(id);
      }
      this.#listed = null;
      this.#sorry = left.size > 0 ? say("approvals.all_left", { count: left.size }) : "";
    } catch {
      this.#sorry = say("failed");
    }
    this.#busy = false;
    this.around.focusOn(this.#sorry ? "#back" : this.home);
  }
}
