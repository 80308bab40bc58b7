import type { InputRequest } from "../../core/generated/wire.ts";
import { html, type Template } from "../html.ts";
import { draw } from "../icons.ts";
import type { SettledRequest } from "../receipt/settled.ts";
import { type GetText, momentText } from "../text.ts";

const EMPTY_ICON = draw("M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M5.7 5.7l12.6 12.6");

/** Which secrets, or how many where that is not for this reader. */
export function namesOf({ secret, answer }: InputRequest, getText: GetText): Template | string {
  const count = secret?.count;
  if (count) return getText("secret.count", { count });
  return html`<code>${(answer?.names ?? secret?.names ?? []).join(", ")}</code>`;
}

/** Secrets that were handed over, were there already, or were not given: their names, and where they hold. */
export function drawSecretReceipt(view: SettledRequest): Template | undefined {
  const { request, getText, locale } = view;
  const { status, answer, source, reason, settled_at } = request;
  if (status === "declined")
    return view.drawLine(html`${EMPTY_ICON}
      <div>
        <p><strong>${namesOf(request, getText)}</strong></p>
        <p class="by">${view.byline(`declined.${reason ?? "dismissed"}`)}</p>
        ${view.drawLate()}
      </div>`);
  if (!answer) return undefined;
  const scope = answer.scope && getText(`secret.in_${answer.scope}`);
  if (source === "existing")
    return view.drawLine(html`<div>
      <p><strong>${namesOf(request, getText)}</strong> <span class="badge">${getText("secret.existing")}</span></p>
      <p class="by">${[scope, settled_at && momentText(settled_at, locale)].filter(Boolean).join(" · ")}</p>
    </div>`);
  return view.drawLine(html`${view.drawMark(true)}
    <div>
      <p><strong>${namesOf(request, getText)}</strong> · ${scope}</p>
      <p class="by">${view.byline("secret.by")}</p>
      ${answer.verified === false ? html`<p class="by">${getText("secret.unverified")}</p>` : ""}
      ${view.drawLate()}
    </div>`);
}
