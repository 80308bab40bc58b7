import texts from "../../../../src/askback/messages/en.json?action&texts" with { type: "json" };
import { newKey } from "../../client/key.ts";
import type { ActionAnswerBody, InputRequest } from "../../core/generated/wire.ts";
import { linkHost } from "../../core/link.ts";
import { isOpen } from "../../core/machine.ts";
import { addTexts } from "../../core/messages.ts";
import type { Template } from "../html.ts";
import type { Card, ErrorTarget, Host, Kind } from "../kind.ts";
import { texts as parts } from "../localtexts.ts";
import type { SettledRequest } from "../receipt/settled.ts";
import { actionStyles } from "./action.css.ts";
import { type ActionContext, type Connection, drawCard } from "./card.ts";
import { drawActionReceipt } from "./receipt.ts";

addTexts(texts);

/** Something to do elsewhere: a link or a provider, and how it went. */
class ActionKind implements Kind, ActionContext {
  failing = false;
  reason = "";
  connection: Connection = {};
  #request: InputRequest | undefined;

  constructor(readonly host: Host) {
    host.root.adoptedStyleSheets.push(actionStyles);
  }

  adopt(request: InputRequest): void {
    const { attempt } = request;
    if (attempt?.number !== this.#request?.attempt?.number) this.connection = {};
    this.#request = request;
  }

  drawOpen(request: InputRequest, card: Card): Template {
    return card(drawCard(this, request));
  }

  drawSettled(settled: SettledRequest): Template | undefined {
    return drawActionReceipt(settled);
  }

  /** Say how it went. */
  report(outcome: "done" | "failed"): void {
    const { revision = 1 } = this.#request ?? {};
    const reason = this.reason.trim();
    const body: ActionAnswerBody = { revision, outcome, ...(outcome === "failed" && reason && { reason }) };
    this.host.send("answer", body);
  }

  fail(on: boolean): void {
    this.failing = on;
    this.host.redraw();
    this.host.focusOn(on ? "#reason" : "#failed");
  }

  type(text: string): void {
    this.reason = text;
    this.host.clearError("reason");
  }

  dismiss(): void {
    this.host.send("decline", { reason: "dismissed" });
  }

  /** Open the window immediately, because browsers allow it only during a click; it gets its address from the server later. */
  async connect(): Promise<void> {
    const { host } = this;
    const id = this.#request?.id;
    if (!id || !isOpen(host.view) || this.connection.starting) return;
    const opened = window.open("about:blank", "_blank");
    this.#connected({ starting: true });
    const languages = parts.answerLanguages?.("answer", host.root.host as Element & Host) ?? {};
    const path = `/v1/requests/${encodeURIComponent(id)}/oauth/start`;
    const reply = await host.client
      ?.post?.<{ url: string }>(path, languages, newKey())
      .catch(() => undefined);
    if (!reply || !linkHost(reply.url)) {
      opened?.close();
      this.#connected({ failed: true });
      host.focusOn("#connect");
    } else if (opened) {
      opened.location.replace(reply.url);
      this.#connected({});
    } else {
      this.#connected({ url: reply.url });
      host.focusOn("#continue");
    }
  }

  #connected(connection: Connection): void {
    this.connection = connection;
    this.host.redraw();
  }

  submit(): void {
    if (this.failing) this.report("failed");
    else if (!this.#request?.action?.provider) this.report("done");
  }

  escape(): void {
    if (this.failing) this.fail(false);
  }

  errorTarget(path: string): ErrorTarget | undefined {
    return path === "reason" ? { path, go: () => this.fail(true) } : undefined;
  }

  unsentText(): string {
    return this.reason.trim();
  }
}

export const kinds = { action: ActionKind };
