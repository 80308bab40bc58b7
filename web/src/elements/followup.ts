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
  #done: Record<string, boolean | undefined> = {};

  constructor(
    private readonly host: Around,
    private readonly action: "ask-again" | "revoke",
  ) {}

  /** Draw it for a request; `done` stands in its place once it has worked. */
  draw(id: string, text: string, label: string, done = ""): Template {
    const worked = this.#done[id];
    return html`<p class="by beside" role="status">${worked ? done : text} ${
      !worked && html`<button type="button" .onclick=${() => this.#act(id)}>${label}</button>`
    } ${worked === false && html`<span class="error">${this.host.say("not_done")}</span>`}</p>`;
  }

  async #act(id: string): Promise<void> {
    this.#done[id] = await this.host.client?.post?.(`/v1/requests/${id}/${this.action}`, {}, newKey()).then(
      () => true,
      () => false,
    );
    this.host.redraw();
  }
}
