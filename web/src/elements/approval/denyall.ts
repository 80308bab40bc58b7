import { newKey } from "../../client/key.ts";
import type { BatchBody, BatchResults, InputRequest } from "../../core/generated/wire.ts";
import { html, type Template } from "../html.ts";
import type { Sender } from "../kind.ts";
import { questionOf } from "../show.ts";
import type { Say } from "../text.ts";
import { escapeText } from "./escapes.ts";

/** The most requests of one batch, as the server limits it. */
const BATCH = 200;

interface DenyAllHost {
  readonly say: Say;
  readonly client: Sender | undefined;
  redraw(): void;
  focusOn(selector: string): void;
}

/** Errors that leave nothing to deny: it was settled or has expired. */
const OVER = ["already_settled", "expired"];

/** Denies all open approvals at once: lists them, asks for a confirmation, and denies those that were listed. */
export class DenyAll {
  #listed: readonly InputRequest[] | null = null;
  #key = "";
  #busy = false;
  #error = "";

  constructor(
    private readonly host: DenyAllHost,
    /** Selector of what gets the focus afterwards. */
    private readonly home: string,
  ) {}

  /** Whether the question is open. */
  get isOpen(): boolean {
    return this.#listed !== null || this.#error !== "";
  }

  /** Draw the button, if more than one request is open and there is a server. */
  drawButton(items: readonly InputRequest[]): Template | false {
    const { say, client } = this.host;
    const ask = (): void => this.#ask(items);
    return (
      items.length > 1 &&
      client?.post !== undefined &&
      html`<button type="button" class="quiet" id="all" .onclick=${ask}>${say("approvals.all")}</button>`
    );
  }

  /** Draw the question after the button was pressed. */
  drawQuestion(): Template | false {
    const { say } = this.host;
    const count = this.#listed?.length ?? 0;
    return (
      this.isOpen &&
      html`<div class="sure" role="group" aria-labelledby="all-sure">
        <p id="all-sure"><strong>${count > 0 && say("approvals.all_sure", { count })}</strong></p>
        <ul class="listed">${this.#listed?.map((item) => html`<li>${escapeText(questionOf(item))}</li>`)}</ul>
        <p role="alert">${this.#error}</p>
        <div class="actions">
          ${count > 0 && html`<button type="button" class="danger primary" aria-disabled=${this.#busy} .onclick=${() => void this.#send()}>${say("approvals.all_yes", { count })}</button>`}
          <button type="button" id="back" .onclick=${() => this.leave()}>${say("sure_no")}</button>
        </div>
      </div>`
    );
  }

  /** Close the question. */
  leave(): void {
    this.#listed = null;
    this.#error = "";
    this.host.focusOn("#all");
  }

  #ask(items: readonly InputRequest[]): void {
    this.#listed = items;
    this.#key = newKey();
    this.host.focusOn("#back");
  }

  async #send(): Promise<void> {
    const { client, say } = this.host;
    if (this.#busy || !this.#listed || !client?.post) return;
    this.#busy = true;
    this.host.redraw();
    try {
      const left = new Set<string>();
      for (let at = 0; at < this.#listed.length; at += BATCH) {
        const requests = this.#listed
          .slice(at, at + BATCH)
          .map(({ id, revision, approval }) => ({ id, revision, digest: approval?.digest }));
        const body: BatchBody = { action: "decline", reason: "refused", requests };
        const { results } = await client.post<BatchResults>(
          "/v1/requests/batch",
          body,
          `${this.#key}${at || ""}`,
        );
        for (const { id, status, error } of results)
          if (status !== 200 && !OVER.includes(error?.code ?? "")) left.add(id);
      }
      this.#listed = null;
      this.#error = left.size > 0 ? say("approvals.all_left", { count: left.size }) : "";
    } catch {
      this.#error = say("failed");
    }
    this.#busy = false;
    this.host.focusOn(this.#error ? "#back" : this.home);
  }
}
