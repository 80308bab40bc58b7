import { html, type Template } from "../html.ts";
import { onDemand } from "../ondemand.ts";
import type { Say } from "../text.ts";

interface KeptForm {
  readonly say: Say;
  forgetDevice(): void;
}

/** Draw that what was typed is kept on this device, and how to end that; or where it is not `on`, that it is not kept. */
export const drawKept = (host: KeptForm, on: boolean | undefined): Template =>
  on
    ? html`<p class="hint kept">${host.say("drafts.restored")} <button type="button" class="quiet" .onclick=${() => host.forgetDevice()}>${host.say("drafts.off")}</button></p>`
    : html`<p class="hint kept" role="status">${host.say("drafts.none")}</p>`;

Object.assign(onDemand, { drawKept });
