import texts from "../../../../src/askback/messages/en.json?answering&texts" with { type: "json" };
import type { Client } from "../../client/client.ts";
import type { Activity, Follower } from "../../client/connection.ts";
import type { Socket } from "../../client/socket.ts";
import { isOpen } from "../../core/machine.ts";
import { addTexts } from "../../core/messages.ts";
import type { AskbackElement } from "../element.ts";
import { html, type Template } from "../html.ts";
import type { Host } from "../kind.ts";
import { type NumberedCard, numberChoices } from "./numbers.ts";

addTexts(texts);

/** Between two reports of what this person does. */
const REPORT_INTERVAL_MS = 3_000;
/** How long a report is valid. */
const REPORT_LIFETIME_MS = 10_000;

/** The card of a request; `hint` is shown in it. */
interface HintedCard extends AskbackElement, NumberedCard, Pick<Host, "view"> {
  hint: (() => Template) | undefined;
}

/** Who is answering what, for all cards of a page: one for each client. */
class Answering implements Follower {
  readonly #cards = new Set<HintedCard>();
  readonly #names = new Map<string, Map<string, string>>();
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #reportedAt = new Map<string, number>();
  #socket: Socket | undefined;

  constructor(private readonly client: Client) {}

  /** Look after a card. */
  add(card: HintedCard): void {
    this.#cards.add(card);
    const report = (): void => this.#report(card);
    card.root.addEventListener("input", report);
    card.root.addEventListener("click", report);
    this.#draw(card);
  }

  async sync(socket: Socket): Promise<void> {
    this.#socket = socket;
  }

  event(): void {}
  refused(): void {}

  answering({ request_id: id, by, active }: Activity): void {
    const key = `${id} ${by.id}`;
    const names = this.#names.get(id) ?? new Map<string, string>();
    this.#names.set(id, names);
    clearTimeout(this.#timers.get(key));
    if (active) {
      names.set(by.id, by.name);
      const stop = (): void => this.answering({ request_id: id, by, active: false });
      this.#timers.set(key, setTimeout(stop, REPORT_LIFETIME_MS));
    } else names.delete(by.id);
    for (const card of this.#cards) {
      if (!card.isConnected) this.#cards.delete(card);
      else if (card.view.request?.id === id) this.#draw(card);
    }
  }

  #report({ view }: HintedCard): void {
    const id = view.request?.id;
    const now = Date.now();
    if (!id || !this.#socket || !isOpen(view) || this.client.link !== "online") return;
    if (now - (this.#reportedAt.get(id) ?? 0) < REPORT_INTERVAL_MS) return;
    this.#reportedAt.set(id, now);
    this.#socket.call("mark_answering", { request_id: id, body: {} }).catch(() => {});
  }

  /** The region is there before it has a text: only then do screen readers say it. */
  #draw(card: HintedCard): void {
    const names = [...(this.#names.get(card.view.request?.id ?? "")?.values() ?? [])];
    const key = names.length > 1 ? "answering.several" : "answering.single";
    const hint = () => html`<p class="link by">${card.getText(key, { names: names.join(", ") })}</p>`;
    card.hint = () => html`<div aria-live="polite">${names.length > 0 && hint()}</div>`;
  }
}

const byClient = new WeakMap<Client, Answering>();

/**
 * Let the keyboard answer, show in a card who else is answering, and tell others when this person does. A host's own
 * sender can do only the first.
 */
export function attach(card: HintedCard, client: object): void {
  numberChoices(card);
  if (!("follow" in client)) return;
  const answeringClient = client as Client;
  const answering = byClient.get(answeringClient) ?? new Answering(answeringClient);
  if (!byClient.has(answeringClient)) answeringClient.follow(answering);
  byClient.set(answeringClient, answering);
  answering.add(card);
}
