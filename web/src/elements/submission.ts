import { WireError } from "../client/errors.ts";
import { newKey } from "../client/key.ts";
import type { FieldError, InputRequest } from "../core/generated/wire.ts";
import { isOpen, mayDecline, type Signal, type View } from "../core/machine.ts";
import type { Retry, Attempt as StoredAttempt } from "./drafttypes.ts";
import { type Action, type Body, createEvent } from "./events.ts";
import { html, type Template } from "./html.ts";
import type { BodyFactory, Host } from "./kind.ts";
import { loadKinds } from "./kinds.ts";
import { draftStore } from "./loaddrafts.ts";
import { foldRows } from "./localtexts.ts";
import { drawProblems } from "./summary.ts";

interface Attempt extends StoredAttempt {
  readonly text: string;
  readonly makeBody: BodyFactory | undefined;
}

interface SubmissionHost extends Host, EventTarget {
  submit(): void;
  refuse(errors: readonly FieldError[], summary?: string | null): void;
}

/** Return the outcome of an attempt; a repeated submission may have been refused or reprompted in the meantime. */
const outcomeOf = ({ submission }: InputRequest): "accepted" | "conflict" =>
  submission === "refused" || submission === "reprompted" ? "conflict" : "accepted";

/** Sends what the person entered, once for each idempotency key, and again while the outcome is unknown. */
export class Submission {
  attempt: Attempt | null = null;
  /** Whether the values in the form are being sent, or have arrived. */
  isSent = false;
  /** Whether the focus stays where it is. */
  keepsFocus = false;
  retry: Retry | undefined;

  constructor(
    private readonly host: SubmissionHost,
    private readonly signal: (signal: Signal) => void,
  ) {}

  /** Send it, unless the view does not allow it; the same body as before goes with the same key. */
  send(view: View, action: Action, body: Body, makeBody?: BodyFactory): void {
    const { request } = view;
    const open = isOpen(view);
    if (!request || !(open || (action === "decline" && mayDecline(view)))) return;
    const text = JSON.stringify([action, body]);
    const { attempt } = this;
    const isRepeated = attempt?.text === text && attempt.makeBody === makeBody && attempt.key === view.key;
    this.attempt = isRepeated ? attempt : { text, action, body, key: newKey(), makeBody };
    this.isSent = open;
    draftStore?.writeUnsent(request, this.attempt);
    this.signal({ type: "submit", key: this.attempt.key });
    // The receipt is there when the reply is.
    void loadKinds([{ ...request, status: "answered" }]);
    void this.#deliver(request.id, this.attempt);
  }

  /** The submission has arrived, was refused, or has changed. */
  follow({ phase, request }: View): void {
    if (phase === "failed") return;
    this.retry?.stop();
    if (phase !== "submitting" && request && this.attempt) draftStore?.writeUnsent(request);
  }

  async #deliver(id: string, attempt: Attempt): Promise<void> {
    const { host } = this;
    const { action, body, key, makeBody } = attempt;
    const isUnclaimed = host.dispatchEvent(
      createEvent("askback-submit", { id, action, body: foldRows(body), key }),
    );
    if (!host.client || !isUnclaimed) return;
    try {
      const sentBody = makeBody ? { ...(makeBody() as object), languages: body.languages } : body;
      const request = await host.client.send(id, action, foldRows(sentBody), key);
      await loadKinds([request]);
      if (host.view.request?.id === id) this.signal({ type: outcomeOf(request), request });
    } catch (error) {
      // A late failure says nothing about the values that are being sent now.
      if (this.attempt === attempt) this.fail(error);
    }
  }

  /** Show why it was not accepted, or that the outcome is unknown. */
  fail(error: unknown): void {
    const { final, message, fieldErrors, request } = error instanceof WireError ? error : new WireError(0);
    const { host } = this;
    const { phase } = host.view;
    this.isSent = false;
    if (request) void this.#settle(request);
    else if (final) host.refuse(fieldErrors, fieldErrors.length > 0 ? null : message);
    // The late reply of a retry changes nothing after "Discard".
    else if (phase === "submitting") {
      this.signal({ type: "failed", summary: message || null });
      this.#retryLater();
      if (host.view.phase === "failed") this.focusProblems();
    }
  }

  async #settle(request: InputRequest): Promise<void> {
    await loadKinds([request]);
    if (this.host.view.request?.id !== request.id) return;
    this.signal({ type: "conflict", request });
    const { host } = this;
    const error = {
      path: "",
      get message() {
        return host.getText("changed");
      },
    };
    if (request.status === "pending") host.refuse([error]);
  }

  focusProblems(): void {
    if (!this.keepsFocus) this.host.focusOn("#problems");
  }

  /** The outcome is unknown: send it again later with the same key; meanwhile the card stays as it is. */
  #retryLater(): void {
    const { attempt, host } = this;
    const { client, view } = host;
    const id = view.request?.id;
    if (!client || !attempt || !id || view.key === null || this.retry?.active) return;
    const send = (): void => {
      this.keepsFocus = true;
      void this.#deliver(id, attempt);
    };
    this.retry = draftStore?.retry(client, attempt, send, () => host.redraw());
  }

  /** Draw what could not be sent, whether it is sent again automatically, and buttons to send or discard it now. */
  drawFailed(summary: string | null): Template | false {
    const { attempt, host } = this;
    const { getText, locale, view } = host;
    if (!attempt || !view.request) return false;
    const lines = draftStore?.explain(view.request, attempt, this.retry, getText, locale) ?? [];
    const retry = (): void =>
      attempt.makeBody ? host.submit() : this.send(host.view, attempt.action, attempt.body);
    const discard = (): void => {
      this.signal({ type: "discard" });
      host.focusOn("button");
    };
    return drawProblems(
      getText("failed"),
      [...(summary ? [summary] : []), ...lines].map((text) => ({ text })),
      html`<div class="actions retry">
        <button type="button" .onclick=${retry}>${getText("retry")}</button>
        <button type="button" class="quiet" .onclick=${discard}>${getText("discard")}</button>
      </div>`,
    );
  }
}
