import type { InputRequest, ShownSecret } from "../../core/generated/wire.ts";
import { isOpen, mayDecline, stateOf } from "../../core/machine.ts";
import { availableScopes } from "../../core/secret.ts";
import { drawDescription } from "../form.ts";
import { html, type Template } from "../html.ts";
import { icons } from "../icons.ts";
import type { GetText } from "../text.ts";
import type { SecretContext } from "./context.ts";
import { usernameField } from "./inputs.ts";
import { namesOf } from "./receipt.ts";
import { drawValue } from "./value.ts";

/** The agent's texts, separate from askback's. */
function drawAgentTexts(
  request: InputRequest,
  { reason, instructions }: ShownSecret,
  getText: GetText,
): Template {
  return html`<div class="says">
    <p class="hint">${getText("secret.says")}</p>
    ${drawDescription({ getText }, request, reason, "secret.reason")}
    ${drawDescription({ getText }, request, instructions, "secret.instructions")}
  </div>`;
}

function drawScopes(context: SecretContext, secret: ShownSecret, off: boolean): Template {
  const { getText } = context.host;
  return html`<fieldset class="field">
    <legend class="label">${getText("secret.scope")}</legend>
    <div class="chips segments">
      ${availableScopes(secret).map(
        (scope) => html`<label class="chip" part="option">
          <input
            type="radio"
            name="scope"
            id=${`scope-${scope}`}
            disabled=${off}
            .checked=${context.scope === scope}
            .onchange=${() => context.choose(scope)}
          />
          <span>${getText(`secret.${scope}`)}${scope === "project" && html` <bdi>(${secret.project})</bdi>`}</span>
        </label>`,
      )}
    </div>
  </fieldset>`;
}

const drawDismiss = (context: SecretContext): Template =>
  html`<button
    type="button"
    class="quiet"
    aria-disabled=${!mayDecline(context.host.view)}
    .onclick=${() => context.dismiss()}
  >${context.host.getText("dismiss")}</button>`;

function drawActions(context: SecretContext): Template {
  const { getText, view } = context.host;
  const state = stateOf(view);
  if (state === "disabled") return html`<p class="hint">${getText("disabled")}</p>`;
  const busy = state === "submitting";
  return html`<div class="actions">
    ${drawDismiss(context)}
    <button type="submit" class="primary" part="submit" aria-disabled=${busy}>${busy ? html`${icons.clock}${getText("sending")}` : getText(context.isReused ? "secret.allow" : "secret.save")}</button>
  </div>`;
}

function drawForm(context: SecretContext, secret: ShownSecret): Template {
  const { host } = context;
  const off = !isOpen(host.view);
  const send = (event: Event): void => {
    event.preventDefault();
    if (!off) context.submit();
  };
  return html`<form novalidate autocomplete="off" aria-busy=${host.view.phase === "submitting"} .onsubmit=${send}>
    ${usernameField} ${secret.names.map((name) => drawValue(context, secret, name, off))} ${!context.isReused && drawScopes(context, secret, off)}
    <div>
      ${!context.isReused && html`<p class="strong">${host.getText("secret.never_paste")}</p>`}
      <p class="hint">${host.getText(secret.hide_names ? "secret.names_hidden" : "secret.names_seen")}</p>
    </div>
    ${drawActions(context)}
  </form>`;
}

/** The choice between using the saved values and typing new ones. */
function titleOf(
  { host, isReused: reuses }: SecretContext,
  { requester, secret, status }: InputRequest,
  count: number,
): string {
  const key = reuses && status === "pending" && !secret?.count ? "secret.let" : "secret.title";
  const params = { count, agent: requester?.name ?? "?", name: secret?.names[0] ?? "" };
  return host.getText(count === 1 ? key : `${key}_many`, params);
}

/** An open request for secrets: what the agent says it needs them for, and where the person types them. */
export function drawCard(context: SecretContext, request: InputRequest): Template {
  const { secret } = request;
  const { getText, headingLevel } = context.host;
  if (!secret) return html`<p>${getText("unknown_kind")}</p>`;
  const count = secret.count ?? secret.names.length;
  return html`<div class="title" role="heading" aria-level=${headingLevel} id="title">${titleOf(context, request, count)}</div>
    ${drawAgentTexts(request, secret, getText)}
    ${
      request.status === "resolving"
        ? html`<p class="trial" role="status">${icons.clock} ${getText("checking")} ${namesOf(request, getText)}</p>
            <div class="actions">${drawDismiss(context)}</div>`
        : secret.count || stateOf(context.host.view) === "disabled"
          ? html`<p>${namesOf(request, getText)}</p>${drawActions(context)}`
          : drawForm(context, secret)
    }`;
}
