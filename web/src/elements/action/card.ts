import type { InputRequest, ShownAction } from "../../core/generated/wire.ts";
import { linkHost } from "../../core/link.ts";
import { isOpen, mayDecline, stateOf } from "../../core/machine.ts";
import { drawDescription } from "../form.ts";
import { html, type Template } from "../html.ts";
import { icons } from "../icons.ts";
import type { Host } from "../kind.ts";
import { localHost } from "../localhost.ts";

/** How far connecting an account has come in this page: it starts, failed to, or the browser opened no window. */
export interface Connection {
  readonly starting?: boolean;
  readonly failed?: boolean;
  readonly url?: string;
}

/** The entries and actions that an action is drawn with. */
export interface ActionContext {
  readonly host: Host;
  /** Whether the person is saying why it failed. */
  readonly failing: boolean;
  readonly reason: string;
  readonly connection: Connection;
  report(outcome: "done" | "failed"): void;
  fail(on: boolean): void;
  type(text: string): void;
  dismiss(): void;
  connect(): Promise<void>;
}

const CODES = ["access_denied", "scopes_missing", "provider_error", "provider_unreachable"];

/** The link of the agent, among its words and in no shape of ours; beside it where it leads. */
function drawLink({ host: { getText } }: ActionContext, { url, label }: ShownAction): Template | false {
  const host = linkHost(url ?? "");
  if (!url || !host) return false;
  const local = localHost(url);
  return html`<p class="go">
    <a id="link" href=${url} target="_blank" rel="noopener noreferrer nofollow ugc">${label || getText("action.open")}</a>
    <span class="hint">${getText(local ? "action.local" : "action.leads", { host: local || host })}</span>
  </p>`;
}

function drawAgentTexts(
  context: ActionContext,
  request: InputRequest,
  action: ShownAction,
): Template | false {
  const { getText } = context.host;
  if (!action.description && !action.url) return false;
  const { description } = action;
  return html`<div class="says">
    <p class="hint">${getText("action.says")}</p>
    ${drawDescription({ getText }, request, description, "action.description")}
    ${drawLink(context, action)}
  </div>`;
}

function drawAttempt({ host: { getText } }: ActionContext, { attempt }: InputRequest): Template | false {
  if (!attempt) return false;
  const known = CODES.includes(attempt.code ?? "");
  const reason = known ? getText(`action.code_${attempt.code}`) : attempt.reason;
  return html`<div class="box" role="alert">
    <p class="strong">${icons.warn} ${getText("action.attempt")}</p>
    ${reason && html`<p>${reason}</p>`}
    <p>${getText("action.again")}</p>
  </div>`;
}

/** The access that the agent gets, shown before anything opens, and the button that connects the account. */
function drawConnection(context: ActionContext, { host = "", scopes }: ShownAction): Template {
  const { connection, host: element } = context;
  const { getText } = element;
  const { starting, failed, url } = connection;
  return html`<div class="provider">
    ${
      scopes?.length &&
      html`<p>${getText("action.scopes")}</p>
      <ul>${scopes.map((scope) => html`<li><code>${scope}</code></li>`)}</ul>`
    }
    <p class="hint">${getText("action.vault")}</p>
    ${failed && html`<p class="error" role="alert">${getText("action.not_started")}</p>`}
    ${
      url
        ? html`<p role="status">${getText("action.blocked")}</p>
          <p><a id="continue" href=${url} target="_blank" rel="noopener noreferrer">${getText("action.continue", { host })}</a></p>`
        : html`<div><button
            type="button"
            class="primary"
            id="connect"
            aria-disabled=${starting || !isOpen(element.view)}
            .onclick=${() => context.connect()}
          >${getText(starting ? "action.opening" : "action.connect", { host })}</button></div>`
    }
  </div>`;
}

function drawReason(context: ActionContext, busy: boolean): Template {
  const { getText } = context.host;
  const error = context.host.errorAt("reason");
  return html`<div class=${error ? "field wrong" : "field"}>
      <label class="label" for="reason">${getText("action.why")}</label>
      <p class="hint" id="reason-hint">${getText("action.optional")}</p>
      ${error && html`<p class="error" id="reason-error">${error}</p>`}
      <textarea
        id="reason"
        maxlength="2000"
        aria-describedby=${error ? "reason-hint reason-error" : "reason-hint"}
        aria-invalid=${error ? "true" : null}
        readonly=${busy}
        .value=${context.reason}
        .oninput=${(event: Event) => context.type((event.target as HTMLTextAreaElement).value)}
      ></textarea>
    </div>
    <div class="actions">
      <button type="button" class="quiet" aria-disabled=${busy} .onclick=${() => context.fail(false)}>${getText("action.back")}</button>
      <button type="submit" class="primary" part="submit" aria-disabled=${busy}>${getText(busy ? "sending" : "action.report")}</button>
    </div>`;
}

function drawOutcomes(context: ActionContext, action: ShownAction, busy: boolean): Template {
  const { getText, view } = context.host;
  const done = html`<button type="submit" class="primary" part="submit" aria-disabled=${busy}>${busy ? html`${icons.clock}${getText("sending")}` : getText("action.done")}</button>`;
  return html`<div class="actions">
    <button type="button" id="failed" aria-disabled=${busy} .onclick=${() => !busy && context.fail(true)}>${getText("action.failed")}</button>
    <button
      type="button"
      class="quiet"
      aria-disabled=${!mayDecline(view)}
      .onclick=${() => context.dismiss()}
    >${getText("dismiss")}</button>
    ${!action.provider && done}
  </div>`;
}

function drawForm(context: ActionContext, request: InputRequest, action: ShownAction): Template {
  const { view, getText } = context.host;
  const state = stateOf(view);
  if (state === "disabled") return html`<p class="hint">${getText("disabled")}</p>`;
  const busy = state === "submitting";
  const send = (event: Event): void => {
    event.preventDefault();
    if (isOpen(view)) context.report(context.failing ? "failed" : "done");
  };
  return html`${drawAttempt(context, request)}
    <form novalidate aria-busy=${busy} .onsubmit=${send}>
      ${action.provider && !context.failing && drawConnection(context, action)}
      ${context.failing ? drawReason(context, busy) : drawOutcomes(context, action, busy)}
    </form>`;
}

/** An open action: what to do and where, and how it went. */
export function drawCard(context: ActionContext, request: InputRequest): Template {
  const { action } = request;
  const { getText, headingLevel } = context.host;
  if (!action) return html`<p>${getText("unknown_kind")}</p>`;
  return html`<div class="title" role="heading" aria-level=${headingLevel} id="title">${action.title}</div>
    ${drawAgentTexts(context, request, action)}
    ${
      request.status === "resolving"
        ? html`<p role="status">${icons.clock} ${getText("checking")}</p>
          <div class="actions"><button type="button" class="quiet" .onclick=${() => context.dismiss()}>${getText("dismiss")}</button></div>`
        : drawForm(context, request, action)
    }`;
}
