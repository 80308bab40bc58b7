import { newKey } from "../client/key.ts";
import type { InputRequest } from "../core/wire.ts";
import { html, type Template } from "./html.ts";
import type { Sender } from "./kind.ts";
import { type Say, when } from "./text.ts";

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

interface RefusalHost extends Around {
  readonly readonly: boolean;
  readonly locale: string;
}

/** Draw until when the server repeats a refusal, with a button that lets the agent ask again. */
export function drawRefusal(host: RefusalHost, request: InputRequest, again: FollowUp): Template | false {
  const { client, say, locale } = host;
  const { id, refusal, level } = request;
  const until = refusal ? Date.parse(refusal.until) : 0;
  if (host.readonly || !client?.post || level === "view" || until <= (client.now ?? Date.now())) return false;
  const text = say("remembered", { time: when(new Date(until).toISOString(), locale) });
  return again.draw(id, text, say("ask_again"), say("asked_again"));
}
