import { newKey } from "../../client/key.ts";
import { html, type Template } from "../html.ts";
import { momentText } from "../text.ts";
import type { SettledHost, SettledRequest } from "./settled.ts";

/** Whether an action on a card succeeded, by request and action. */
const attempts = new WeakMap<SettledHost, Record<string, boolean>>();

/** Draw a line with a button that acts on the request and shows an error if that fails; `done` replaces it after a success. */
export function drawFollowUp(
  { host, request, getText }: SettledRequest,
  action: "ask-again" | "revoke",
  text: string,
  label: string,
  doneText = "",
): Template {
  const path = `/v1/requests/${request.id}/${action}`;
  const outcomes = attempts.get(host) ?? {};
  attempts.set(host, outcomes);
  const act = async (): Promise<void> => {
    outcomes[path] =
      (await host.client?.post?.(path, {}, newKey()).then(
        () => true,
        () => false,
      )) ?? false;
    host.redraw();
  };
  const outcome = outcomes[path];
  return html`<p class="by beside" role="status">${outcome ? doneText : text} ${
    !outcome && html`<button type="button" .onclick=${act}>${label}</button>`
  } ${outcome === false && html`<span class="error">${getText("not_done")}</span>`}</p>`;
}

/** Draw until when the server repeats a refusal, with a button that lets the agent ask again. */
export function drawRefusal(receipt: SettledRequest): Template | false {
  const { host, getText, locale } = receipt;
  const { client } = host;
  const { refusal, level } = receipt.request;
  const untilMs = refusal ? Date.parse(refusal.until) : 0;
  if (host.readonly || !client?.post || level === "view" || untilMs <= (client.now ?? Date.now()))
    return false;
  const text = getText("remembered", { time: momentText(new Date(untilMs).toISOString(), locale) });
  return drawFollowUp(receipt, "ask-again", text, getText("ask_again"), getText("asked_again"));
}
