import { type Approval, approvalCount } from "../../core/approval.ts";
import { shorten } from "../../core/path.ts";
import type { Answer, InputRequest } from "../../core/wire.ts";
import { drawLine, late, type Settled } from "../ended.ts";
import { html, type Template } from "../html.ts";
import { icons } from "../icons.ts";
import { when } from "../text.ts";
import { drawCall, previewOf, type Shown } from "./call.ts";
import { escaped } from "./chips.ts";
import { sentences } from "./reasons.ts";

/** How many characters of a note stand in the line. */
const LINE = 300;

/** The catalogue's key of what was decided. */
function keyOf(
  { source, revoked }: InputRequest,
  approval: Approval,
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

/** The call as it was approved or denied, and all that was decided with it. */
function drawMore(
  { request, say, locale }: Settled,
  approval: Approval,
  answer: Answer,
  shown: Shown,
): Template {
  const { edited_input, note, rule, root } = answer;
  const reasons = sentences(answer.reasons, answer.reason_codes, locale);
  const votes = request.votes ?? [];
  const names = votes.map(({ by }) => by.name).join(", ");
  return html`<div class="given">
    ${
      approval.plan
        ? html`<div class="description">${escaped(approval.plan)}</div>`
        : drawCall(previewOf(approval), shown)
    }
    <dl>
      ${edited_input && item(say("approval.as_edited"), drawCall(previewOf({ tool: approval.tool, input: edited_input }), shown))}
      ${note && item(say("approval.note_label"), escaped(note))}
      ${rule && item(say("approval.kept"), html`<code>${escaped(rule.text)}</code> <small>${rule.id}</small>`)}
      ${root && item(say("approval.granted"), html`<code>${escaped(root)}</code>`)}
      ${reasons.length > 0 && item(say("approval.reasons"), escaped(reasons.join(" ")))}
      ${votes.length > 0 && item(say("approval.quorum", { count: approvalCount(votes), all: approval.quorum ?? 1 }), html`<bdi>${names}</bdi>`)}
    </dl>
  </div>`;
}

/** A decided approval: one line that opens to the call. What the policy decided by itself is a quiet one. */
export function drawDecided(view: Settled, shown: Shown): Template | undefined {
  const { request, say, locale } = view;
  const { approval, answer, source, settled_at } = request;
  if (!approval || !answer) return undefined;
  const approved = answer.decision === "approve" && !request.revoked;
  const automatic = source === "policy";
  const { headline } = previewOf(approval);
  const name = (request.revoked?.by ?? request.settled_by)?.name ?? say("someone");
  const line = html`<span class=${approved ? "tick" : "no"}>${approved ? icons.tick : icons.cross}</span>
    <span class=${automatic ? "line auto" : "line"}
      ><span class="a">${say(keyOf(request, approval, answer), { name })}</span> ${
        automatic && answer.policy_rule && html`<code>${escaped(answer.policy_rule)}</code>`
      }<span aria-hidden="true"> · </span><code class="q">${escaped(headline)}</code>${
        answer.note && html`<span class="by">“${escaped(shorten(answer.note, LINE))}”</span>`
      }${settled_at && html`<span class="by">${when(settled_at, locale)}</span>`}${late(view)}</span
    >`;
  return drawLine(line, drawMore(view, approval, answer, shown));
}
