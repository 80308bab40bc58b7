import { newKey } from "../client/key.ts";
import { html, type Template } from "./html.ts";
import type { Sender } from "./kind.ts";
import type { Say } from "./text.ts";

interface Around {
  readonly client: Sender | undefined;
  readonly say: Say;
  redraw(): void;
}

/** A line below a receipt with a button that acts on the request; it says when that did not work. */
export class FollowUp {
  #id = "";
  #state: "" | "done" | "failed" = "";

  constructor(
    private readonly host: Around,
    private readonly action: "ask-again" | "revoke",
  ) {}

  /** Draw it for a request; `done` stands in its place once it has worked. */
  draw(id: string, text: string, label: string, done: string | null = null): Template {
    const { say } = this.host;
    const state = id === this.#id ? this.#state : "";
    if (state === "done" && done !== null) return html`<p class="by beside" role="status">${done}</p>`;
    return html`<div class="by beside">
      <span>${text}</span>
      <button type="button" .onclick=${() => this.#act(id)}>${label}</button>
      <span class="error" role="alert">${state === "failed" && say("not_done")}</span>
    </div>`;
  }

  async #act(id: string): Promise<void> {
    const post = this.host.client?.post?.(
      `/v1/requests/${encodeURIComponent(id)}/${this.action}`,
      {},
      newKey(),
    );
    const state = await post?.then(
      () => "done" as const,
      () => "failed" as const,
    );
    this.#id = id;
    this.#state = state ?? "failed";
    this.host.redraw();
  }
}
