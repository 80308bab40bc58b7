import { approvalCount } from "../../core/approval.ts";
import type { Answer, InputRequest, ShownApproval } from "../../core/generated/wire.ts";
import { shorten } from "../../core/path.ts";
import { headlineOf } from "../headline.ts";
import { html, type Template } from "../html.ts";
import type { SettledRequest } from "../receipt/settled.ts";
import { momentText } from "../text.ts";
import { drawText } from "./agenttext.ts";
import { type CallDisplay, drawCall, previewOf } from "./call.ts";
import { escapeText } from "./escapes.ts";
import { drawSentence, sentences } from "./reasons.ts";

/** How many characters of a note are shown in the line. */
const MAX_LINE_LENGTH = 300;
/** How many characters of the call, which the line opens to. */
const MAX_CALL_LENGTH = 120;

/** Return the key of the sentence for the decision. */
function keyOf(
  { source, revoked }: InputRequest,
  approval: ShownApproval,
  { decision, scope, mode, policy_rule }: Answer,
): string {
  const approved = decision === "approve";
  if (revoked) return "approval.done_revoked";
  if (source === "policy") return `approval.policy_${approved ? "yes" : "no"}${policy_rule ? "_rule" : ""}`;
  if (approval.plan)
    return `approval.done_plan_${approved ? (mode === "accept_edits" ? "edits" : "yes") : "no"}`;
  return `approval.done_${approved ? (scope ?? "once") : "deny"}`;
}

const item = (label: string, content: unknown): Template =>
  html`<div><dt>${label}</dt><dd>${content}</dd></div>`;

/** Draw the plan or the call that was asked about. */
const drawAsked = (request: InputRequest, approval: ShownApproval, display: CallDisplay): Template =>
  approval.plan
    ? drawText(request, approval.plan, "approval.plan", display.getText)
    : drawCall(previewOf(approval), display);

/** Draw the call and everything that was decided with it. */
function drawDetails(
  { request, getText, locale }: SettledRequest,
  approval: ShownApproval,
  answer: Answer,
  display: CallDisplay,
): Template {
  const { edited_input, note, rule, root } = answer;
  const reasons = sentences(answer.reasons, answer.reason_codes, locale);
  const votes = request.votes ?? [];
  const names = votes.map(({ by }) => by.name).join(", ");
  return html`<div class="given">
    ${drawAsked(request, approval, display)}
    <dl>
      ${edited_input != null && item(getText("approval.as_edited"), drawCall(previewOf({ tool: approval.tool, input: edited_input }), display))}
      ${note && item(getText("approval.note_label"), escapeText(note))}
      ${rule && item(getText("approval.rule"), html`<code>${escapeText(rule.text)}</code> <small>${rule.id}</small>`)}
      ${root && item(getText("approval.granted"), html`<code>${escapeText(root)}</code>`)}
      ${
        reasons.length > 0 &&
        item(
          getText("approval.reasons"),
          reasons.map((reason) => html`${drawSentence(reason)} `),
        )
      }
      ${votes.length > 0 && item(getText("approval.quorum", { count: approvalCount(votes), all: approval.quorum ?? 1 }), html`<bdi>${names}</bdi>`)}
    </dl>
  </div>`;
}

/** Draw an approval that has ended as one line that opens to the call; a decision of the policy is shown smaller. */
export function drawApprovalReceipt(view: SettledRequest, display: CallDisplay): Template | undefined {
  const { request, getText, locale } = view;
  const { approval, answer, source, settled_at } = request;
  if (!approval) return undefined;
  if (!answer) return view.drawEnded(html`<div class="given">${drawAsked(request, approval, display)}</div>`);
  const approved = answer.decision === "approve" && !request.revoked;
  const automatic = source === "policy";
  const name = (request.revoked?.by ?? request.settled_by)?.name ?? getText("someone");
  const line = html`${view.drawMark(approved)}
    <span class=${automatic ? "line auto" : "line"}
      ><span class="a">${getText(keyOf(request, approval, answer), { name })}</span> ${
        automatic && answer.policy_rule && html`<code>${escapeText(answer.policy_rule)}</code>`
      }<span aria-hidden="true"> · </span><span class="q">${escapeText(shorten(headlineOf(previewOf(approval), locale), MAX_CALL_LENGTH))}</span>${
        answer.note && html`<span class="by">“${escapeText(shorten(answer.note, MAX_LINE_LENGTH))}”</span>`
      }${settled_at && html`<span class="by">${momentText(settled_at, locale)}</span>`}${view.drawLate()}</span
    >`;
  return view.drawLine(line, drawDetails(view, approval, answer, display));
}
