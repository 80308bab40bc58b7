import { followRequest } from "../../../client/follow-request.ts";
import { approvalCount, hasVoted } from "../../../core/approval.ts";
import type { InputRequest } from "../../../core/generated/wire.ts";
import { isTerminal } from "../../../core/lifecycle.ts";
import { html, type Template } from "../../../elements/html.ts";
import { draw } from "../../../elements/icons.ts";
import { loadKinds } from "../../../elements/kinds.ts";
import type { AskbackRequest } from "../../../elements/request.ts";
import { placeIcons } from "../../icons.ts";
import type { PlaceElement } from "../../place.ts";
import { pathOf } from "../../router.ts";
import { Comments } from "./comments.ts";
import { RequestTools } from "./tools.ts";
import { titleOf } from "./words.ts";

/** A key that was meant for what was shown before does nothing to a request that has just appeared. */
const PAUSE_MS = 500;
/** A second step of the card is open, which Escape closes. */
const CONFIRM_STEP_SELECTOR = "#back, .sure";
const UP_ICON = draw("M6 15l6-6 6 6");
const DOWN_ICON = draw("M6 9l6 6 6-6");

/** The place of the request in the list, and how to go to another one. */
export interface DetailPosition {
  readonly index: number;
  readonly total: number;
  step(by: number): void;
  close(): void;
}

/** The request beside the list: followed as long as it is open. */
export class Detail {
  #id = "";
  #card: AskbackRequest | undefined;
  #request: InputRequest | undefined;
  #isMissing = false;
  #openedAt = Number.POSITIVE_INFINITY;
  #stop: (() => void) | undefined;

  readonly #comments: Comments;
  readonly #tools: RequestTools;

  /**
   * `voted` is called after a decision of this window left the request open, with how many approvals are missing; `onPutAside`
   * after it was put aside.
   */
  constructor(
    private readonly place: PlaceElement,
    private readonly onVote: (missingVotes: number) => void,
    onPutAside: () => void,
  ) {
    this.#comments = new Comments(place);
    this.#tools = new RequestTools(place, onPutAside);
  }

  get request(): InputRequest | undefined {
    return this.#request;
  }

  /** The title of the request, empty while it is not known. */
  get title(): string {
    return this.#request ? titleOf(this.#request, this.place) : "";
  }

  /** How it ended: `approve` or `deny`, otherwise its status. */
  get outcome(): string {
    const request = this.#card?.view.request;
    return request?.answer?.decision ?? request?.status ?? "";
  }

  /** The name of who ended it; empty where nobody did. */
  get settledBy(): string {
    return this.#card?.view.request?.settled_by?.name ?? "";
  }

  /** Show another request; none for an empty id. */
  open(id: string): void {
    this.close();
    this.#id = id;
    if (!id) return;
    const { client } = this.place.app;
    const card = document.createElement("askback-request");
    card.client = client;
    card.headingLevel = 2;
    card.takesFocus = true;
    // The bar above has the title of the conversation.
    card.inThread = true;
    // What has happened is said once for the whole application.
    card.quiet = true;
    let isSent = false;
    card.addEventListener("askback-submit", () => {
      isSent = true;
    });
    this.#card = card;
    this.#stop = followRequest(
      client,
      id,
      (request) => {
        // What had ended before it was opened was opened to be read.
        card.unfolded ??= isTerminal(request.status);
        card.request = request;
        void Promise.resolve(loadKinds([request])).then(() => {
          if (card !== this.#card) return;
          if (!this.#request) this.#openedAt = performance.now();
          this.#request = request;
          this.#comments.open(request);
          this.#tools.open(request);
          void this.place.app.inbox.personal.markSeen([request.id]);
          this.place.redraw();
          const missingVotes = isSent ? this.#missingVotes(request) : 0;
          if (missingVotes === 0) return;
          isSent = false;
          this.onVote(missingVotes);
        });
      },
      () => {
        this.#isMissing = true;
        this.place.redraw();
      },
    );
  }

  /** Return how many approvals are missing where this person has voted and others have not; 0 otherwise. */
  #missingVotes({ status, approval, votes }: InputRequest): number {
    const { me } = this.place.app;
    if (isTerminal(status) || !me || !hasVoted(me, votes)) return 0;
    return (approval?.quorum ?? 1) - approvalCount(votes);
  }

  close(): void {
    this.#stop?.();
    this.#stop = undefined;
    this.#card = undefined;
    this.#request = undefined;
    this.#comments.close();
    this.#tools.open(undefined);
    this.#isMissing = false;
    this.#openedAt = Number.POSITIVE_INFINITY;
    this.#id = "";
  }

  /** Do what a key does to the request that has the focus; returns whether the key is used up. */
  press(key: string, target: Element): boolean {
    const card = this.#card;
    if (!card || performance.now() - this.#openedAt < PAUSE_MS) return false;
    if (key === "Enter") {
      // On a control Enter does what it does everywhere.
      if (target.matches(".detail") && this.#request?.form) card.submit();
      return false;
    }
    // While the card itself has the focus, it presses its buttons by itself.
    const button = card.root.querySelector<HTMLElement>(`[aria-keyshortcuts="${CSS.escape(key)}"]`);
    button?.focus();
    button?.click();
    // The step that a dangerous call opens is taken by Enter.
    void card.updateComplete.then(() => card.root.querySelector<HTMLElement>("#yes")?.focus());
    // Otherwise the box that takes the focus would take the letter as well.
    return !!button;
  }

  /** Whether Escape closes something inside the card. */
  ownsEscape(target: Element): boolean {
    return target.matches("select, [type=search]") || !!this.#card?.root.querySelector(CONFIRM_STEP_SELECTOR);
  }

  #drawBar({ index, total, step, close }: DetailPosition): Template {
    const { getText } = this.place;
    const go = (distance: number, key: string, icon: Template) =>
      html`<button type="button" class="quiet icon-only" aria-label=${getText(key)} title=${getText(key)} .onclick=${() => step(distance)}>${icon}</button>`;
    const goBack = (event: Event): void => {
      event.preventDefault();
      close();
    };
    return html`<div class="bar">
      <a class="back" href="/" aria-label=${getText("app.inbox")} .onclick=${goBack}>${placeIcons.back}<span>${getText("app.inbox")}</span></a>
      ${
        total > 1 &&
        html`${go(-1, "inbox.previous", UP_ICON)}${go(1, "inbox.next", DOWN_ICON)}
        ${index >= 0 && html`<span class="muted n">${getText("inbox.place", { at: index + 1, all: total })}</span>`}`
      }
      ${this.#tools.drawButtons()}
    </div>`;
  }

  /** Draw where it was asked, and when. */
  #drawOrigin(): Template | undefined {
    const { getText, app } = this.place;
    const request = this.#request;
    return (
      request &&
      html`<p class="origin muted">
        <a href=${pathOf("conversations", request.thread_id)}>${app.inbox.conversationOf(request, getText)}</a>
        <askback-time look="long" at=${request.created_at}></askback-time>
      </p>`
    );
  }

  /** Draw the dialog that is open. It is no part of the request: Escape closes only the dialog. */
  drawSheet(): Template | false {
    return this.#tools.drawModal();
  }

  draw(position: DetailPosition): Template {
    const { getText } = this.place;
    const content = this.#isMissing ? html`<p class="empty">${getText("gone")}</p>` : this.#card;
    return html`<section class="pane detail" tabindex="-1" aria-label=${getText("inbox.request")}>
      ${this.#id ? html`${this.#drawBar(position)}<div class="body">${this.#drawOrigin()}${content}${this.#comments.draw()}</div>` : position.total > 0 && html`<p class="empty">${getText("inbox.none")}</p>`}
    </section>`;
  }
}
