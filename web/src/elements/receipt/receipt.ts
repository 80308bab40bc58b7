import texts from "../../../../src/askback/messages/en.json?receipt&texts" with { type: "json" };
import type { Person } from "../../core/audience.ts";
import type { InputRequest } from "../../core/generated/wire.ts";
import { addTexts } from "../../core/messages.ts";
import { shorten } from "../../core/path.ts";
import type { Attempt } from "../drafttypes.ts";
import { html, type Template } from "../html.ts";
import type { Kind } from "../kind.ts";
import { questionOf } from "../labels.ts";
import { onDemand } from "../ondemand.ts";
import { drawAnswers } from "./answers.ts";
import { drawFollowUp, drawRefusal } from "./followup.ts";
import { type SettledHost, SettledRequest } from "./settled.ts";
import "./receipt.css.ts";

addTexts(texts);

/** The length of the summary of an answer that can be unfolded. */
const MAX_LINE_LENGTH = 300;

/** An answered form: one line that opens to what was answered. */
export function drawAnswered(view: SettledRequest): Template | undefined {
  const { request, getText, locale } = view;
  const { form, answer } = request;
  const { answerLine } = onDemand;
  if (!form || !answer || !answerLine) return undefined;
  const opens = form.completed_view?.show_inputs !== false;
  const empty = Object.keys(answer.values ?? {}).length === 0;
  const text = empty ? getText("nothing_given") : answerLine(form, answer, locale, getText);
  const line = html`${view.drawMark(true)}
    <span class="line"
      ><span class="q">${questionOf(request, locale)}</span><span aria-hidden="true"> → </span
      ><span class="hidden">: </span><span class="a">${opens ? shorten(text, MAX_LINE_LENGTH) : text}</span
      >${answer.message && html`<span class="by">${answer.message}</span>`}<span class="by">${view.byline("answered_by")}</span>${view.drawLate()}</span
    >`;
  return view.drawLine(line, opens && drawAnswers(view, form, answer));
}

/** The submission of this person. */
interface Sending {
  readonly attempt: Attempt | null;
  readonly isSent: boolean;
}

/** Draw a request that has ended: the receipt of its kind, and what can be done about a refusal; nothing without the words for its values. */
export function drawReceipt(
  host: SettledHost,
  request: InputRequest,
  kind: Kind | undefined,
  { attempt, isSent }: Sending,
  me: Person | undefined,
): Template | undefined {
  if (request.form && !onDemand.answerLine) return undefined;
  const isUnused =
    host.view.origin === "here" && attempt?.action === "answer" && request.status !== "answered";
  const unsent = ((isUnused || !isSent) && kind?.unsentText(request)) || "";
  const settled = new SettledRequest(host, request, isUnused, unsent, me);
  return html`${kind?.drawSettled(settled) || settled.drawEnded()}${drawRefusal(settled)}`;
}

Object.assign(onDemand, { drawAnswered, drawFollowUp, drawReceipt });

export { drawFollowUp };
