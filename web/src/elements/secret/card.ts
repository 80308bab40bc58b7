import { isOpen, mayDecline, stateOf } from "../../core/machine.ts";
import { own } from "../../core/path.ts";
import { availableScopes, type SecretAsk } from "../../core/secret.ts";
import type { InputRequest } from "../../core/wire.ts";
import { html, type Template } from "../html.ts";
import { icons } from "../icons.ts";
import { rich } from "../rich.ts";
import type { Say } from "../text.ts";
import type { Desk } from "./desk.ts";
import { usernameField } from "./inputs.ts";
import { namesOf } from "./receipt.ts";
import { drawValue } from "./value.ts";

/** What the agent says of it, apart from what we say. */
function drawSays(request: InputRequest, { reason, instructions }: SecretAsk, say: Say): Template {
  const tree = own(request.view?.markdown, "secret.instructions");
  return html`<div class="says">
    <p class="hint">${say("secret.says")}</p>
    <p>${reason}</p>
    ${instructions && html`<div class=${tree ? "description rich" : "description"}>${tree ? rich(tree, say) : instructions}</div>`}
  </div>`;
}

function drawScopes(desk: Desk, secret: SecretAsk, off: boolean): Template {
  const { say } = desk.host;
  return html`<fieldset class="field">
    <legend class="label">${say("secret.scope")}</legend>
    <div class="chips segments">
      ${availableScopes(secret).map(
        (scope) => html`<label class="chip" part="option">
          <input
            type="radio"
            name="scope"
            id=${`scope-${scope}`}
            disabled=${off}
            .checked=${desk.scope === scope}
            .onchange=${() => desk.choose(scope)}
          />
          <span>${say(`secret.${scope}`)}${scope === "project" && html` <bdi>(${secret.project})</bdi>`}</span>
        </label>`,
      )}
    </div>
  </fieldset>`;
}

const drawDismiss = (desk: Desk): Template =>
  html`<button
    type="button"
    class="quiet end"
    aria-disabled=${!mayDecline(desk.host.view)}
    .onclick=${() => desk.dismiss()}
  >${desk.host.say("dismiss")}</button>`;

function drawActions(desk: Desk): Template {
  const { say, view } = desk.host;
  const state = stateOf(view);
  if (state === "disabled") return html`<p class="hint">${say("disabled")}</p>`;
  const busy = state === "submitting";
  return html`<div class="actions">
    <button type="submit" class="primary" part="submit" aria-disabled=${busy}>${busy ? html`${icons.clock}${say("sending")}` : say(desk.reuses ? "secret.allow" : "secret.save")}</button>
    ${drawDismiss(desk)}
  </div>`;
}

function drawForm(desk: Desk, secret: SecretAsk): Template {
  const { host } = desk;
  const off = !isOpen(host.view);
  const send = (event: Event): void => {
    event.preventDefault();
    if (!off) desk.submit();
  };
  return html`<form novalidate autocomplete="off" aria-busy=${host.view.phase === "submitting"} .onsubmit=${send}>
    ${usernameField} ${secret.names.map((name) => drawValue(desk, secret, name, off))} ${!desk.reuses && drawScopes(desk, secret, off)}
    <div>
      ${!desk.reuses && html`<p class="strong">${host.say("secret.never_paste")}</p>`}
      <p class="hint">${host.say(secret.hide_names ? "secret.names_hidden" : "secret.names_seen")}</p>
    </div>
    ${drawActions(desk)}
  </form>`;
}

/** What the person decides: whether the agent may use what is saved, or what to type. */
function titleOf({ host, reuses }: Desk, { requester, secret, status }: InputRequest, count: number): string {
  const key = reuses && status === "pending" && !secret?.count ? "secret.let" : "secret.title";
  const params = { count, agent: requester?.name ?? "?", name: secret?.names[0] ?? "" };
  return host.say(count === 1 ? key : `${key}_many`, params);
}

/** An open request for secrets: what the agent says it needs them for, and where the person types them. */
export function drawCard(desk: Desk, request: InputRequest): Template {
  const { secret } = request;
  const { say, headingLevel } = desk.host;
  if (!secret) return html`<p>${say("unknown_kind")}</p>`;
  const count = secret.count ?? secret.names.length;
  return html`<div class="title" role="heading" aria-level=${headingLevel} id="title">${titleOf(desk, request, count)}</div>
    ${drawSays(request, secret, say)}
    ${
      request.status === "resolving"
        ? html`<p class="trial" role="status">${icons.clock} ${say("checking")} ${namesOf(request, say)}</p>
            <div class="actions">${drawDismiss(desk)}</div>`
        : secret.count
          ? html`<p>${namesOf(request, say)}</p>${drawActions(desk)}`
          : drawForm(desk, secret)
    }`;
}
