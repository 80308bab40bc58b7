/**
 * Decide about several requests together: never about approvals and others, and neither dangerous calls nor those that
 * nobody sees at one glance are allowed.
 */

import type { BatchBody, InputRequest } from "../../../core/generated/wire.ts";
import { foldLines, linesOf } from "../../../core/parts.ts";
import { html, type Template } from "../../../elements/html.ts";
import type { GetText } from "../../../elements/text.ts";
import type { App } from "../../place.ts";
import { isDangerous, kindGroupOf } from "./words.ts";

export type BulkAction = "deny" | "allow" | "dismiss";

const BODIES: Record<BulkAction, Omit<BatchBody, "requests">> = {
  deny: { action: "deny" },
  allow: { action: "approve" },
  dismiss: { action: "decline", reason: "dismissed" },
};

/** What can be done with some requests. */
export interface BulkChoice {
  readonly approvals: readonly InputRequest[];
  readonly others: readonly InputRequest[];
  /** The approvals that may be allowed together. */
  readonly allowableApprovals: readonly InputRequest[];
}

/** Whether a call is so long that a part of it would be hidden. */
const isLong = ({ approval }: InputRequest): boolean => {
  const text = JSON.stringify(approval?.input ?? {}, null, 2).replaceAll("\\n", "\n");
  return foldLines(linesOf([text])) !== null;
};

/** Return what can be done with these requests. */
export function bulkChoice(requests: readonly InputRequest[]): BulkChoice {
  const approvals = requests.filter((request) => kindGroupOf(request) === "approval");
  return {
    approvals,
    others: requests.filter((request) => kindGroupOf(request) !== "approval"),
    allowableApprovals: approvals.filter(
      (request) => !isDangerous(request) && !isLong(request) && !request.approval?.plan,
    ),
  };
}

interface BulkHost {
  readonly app: App;
  readonly getText: GetText;
  redraw(): void;
  focusOn(selector: string): void;
}

/** The selected requests, and the actions on all of them. */
export class Bulk {
  #ids: ReadonlySet<string> = new Set();

  constructor(private readonly host: BulkHost) {}

  get isEmpty(): boolean {
    return this.#ids.size === 0;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  toggle(id: string): void {
    const otherIds = [...this.#ids].filter((selectedId) => selectedId !== id);
    this.select(otherIds.length === this.#ids.size ? [...otherIds, id] : otherIds);
  }

  select(ids: readonly string[]): void {
    this.#ids = new Set(ids);
    this.host.redraw();
  }

  /** Give the focus to the first action on those that are selected. */
  focus(): void {
    this.host.focusOn(".bulk .actions:last-child button");
  }

  /** Draw the actions for the selected requests; `offered` are all requests that can be selected. */
  draw(requests: readonly InputRequest[]): Template | false {
    if (this.isEmpty) return false;
    const { getText } = this.host;
    const selectedRequests = requests.filter(({ id }) => this.#ids.has(id));
    const { approvals, others, allowableApprovals } = bulkChoice(selectedRequests);
    const drawSelectButton = (className: string, key: string, requests: readonly InputRequest[]) =>
      html`<button type="button" class=${className} .onclick=${() => this.select(requests.map(({ id }) => id))}>${getText(key, { count: requests.length })}</button>`;
    const drawActionButton = (action: BulkAction, className: string, requests: readonly InputRequest[]) =>
      requests.length > 0 &&
      html`<button type="button" class=${className} .onclick=${() => this.#act(action, requests)}>${getText(`inbox.${action}`, { count: requests.length })}</button>`;
    const isMixed = approvals.length > 0 && others.length > 0;
    const excludedCount = approvals.length - allowableApprovals.length;
    return html`<div class="bulk" role="region" aria-label=${getText("inbox.bulk")}>
      <div class="actions">
        <b role="status">${getText("inbox.selected", { count: selectedRequests.length })}</b>
        ${selectedRequests.length < requests.length && drawSelectButton("quiet", "inbox.select_all", requests)}
        ${drawSelectButton("quiet", "inbox.unselect", [])}
      </div>
      ${isMixed && html`<p>${getText("inbox.mixed")}</p>`}
      ${!isMixed && excludedCount > 0 && html`<p>${getText("inbox.left_out", { count: excludedCount })}</p>`}
      <div class="actions">
        ${
          isMixed
            ? html`${drawSelectButton("", "inbox.only_approvals", approvals)} ${drawSelectButton("", "inbox.only_others", others)}`
            : html`${drawActionButton("deny", "danger", approvals)} ${drawActionButton("allow", "", allowableApprovals)} ${drawActionButton("dismiss", "", others)}`
        }
      </div>
    </div>`;
  }

  /** Take them out of the list immediately, and send the decision unless it is undone. */
  #act(action: BulkAction, requests: readonly InputRequest[]): void {
    const { app, getText } = this.host;
    const count = requests.length;
    const undo = app.inbox.hide(requests);
    this.select([]);
    this.host.focusOn("h1");
    app.toast({
      text: getText(`inbox.${action}_soon`, { count }),
      undo,
      act: () =>
        void app.inbox.decide(requests, BODIES[action]).then(({ undecidedCount, endedCount }) => {
          if (endedCount > 0) app.toast({ text: getText("inbox.had_ended", { count: endedCount }) });
          if (undecidedCount === 0) return;
          undo();
          app.toast({ text: getText("inbox.not_decided", { count: undecidedCount }) });
        }),
    });
  }
}
