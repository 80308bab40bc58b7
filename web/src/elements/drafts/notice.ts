import type { DraftStore } from "../drafttypes.ts";
import { html, type Template } from "../html.ts";
import { onDemand } from "../ondemand.ts";
import type { GetText } from "../text.ts";

interface NoticeForm {
  readonly getText: GetText;
  readonly host: { redraw(): void };
}

/** Draw that what was typed is kept on this device, and how to erase it and keep nothing more; or that it is not kept. */
export function drawDraftNotice({ host, getText }: NoticeForm, store: DraftStore | undefined): Template {
  /** What is typed stays as long as the page. */
  const forget = (): void => {
    store?.stop();
    host.redraw();
  };
  return store?.enabled
    ? html`<p class="hint kept">${getText("drafts.restored")} <button type="button" class="quiet" .onclick=${forget}>${getText("drafts.off")}</button></p>`
    : html`<p class="hint kept" role="status">${getText("drafts.none")}</p>`;
}

Object.assign(onDemand, { drawDraftNotice });
