import { approvalCount, hasVoted } from "../../core/approval.ts";
import type { InputRequest, ShownApproval } from "../../core/generated/wire.ts";
import { stateOf } from "../../core/machine.ts";
import type { Locale } from "../../core/messages.ts";
import { own, shorten } from "../../core/path.ts";
import { html, type Template } from "../html.ts";
import { icons } from "../icons.ts";
import { onDemand } from "../ondemand.ts";
import type { Say } from "../text.ts";
import { drawChoices, drawEditable } from "./choices.ts";
import type { ApprovalContext } from "./context.ts";
import { escapeText, escapeTree } from "./escapes.ts";
import { sentences } from "./reasons.ts";

/** Draw a text with the name of the tool in it, as code. */
function drawTitle(text: string, name: string): Template {
  const [before, after] = text.split("{tool}");
  return html`${before}<code>${escapeText(name)}</code>${after}`;
}

function drawHead(
  context: ApprovalContext,
  request: InputRequest,
  { tool, plan, risk }: ShownApproval,
): Template {
  const { say, headingLevel } = context.host;
  const queue = context.decidable(request);
  const at = queue.findIndex(({ id }) => id === request.id) + 1;
  return html`<div class="actions">
    <div class="title" role="heading" aria-level=${headingLevel} id="title">${plan ? say("approval.plan_title") : drawTitle(say("approval.title"), tool)}</div>
    ${risk?.level === "danger" && html`<span class="flag">${icons.warn} ${say("approvals.danger")}</span>`}
    ${
      queue.length > 1 &&
      html`<span class="place">${say("approvals.place", { at, all: queue.length })} ${context.denyAll.drawButton(queue)}</span>`
    }
  </div>`;
}

/** Draw a text of the agent, which may be Markdown, at its place in the request. */
function drawText(request: InputRequest, text: string, path: string, say: Say): Template {
  const tree = own(request.view?.markdown, path);
  const drawn = onDemand.rich?.(tree && escapeTree(tree), say);
  return html`<div class=${drawn ? "description rich" : "description"}>${drawn ?? escapeText(text)}</div>`;
}

/** Draw the agent's own description, apart from what the server says. */
function drawAgentText(request: InputRequest, { title, reason, agent_risk }: ShownApproval, say: Say) {
  const { level, reasons = [] } = agent_risk ?? {};
  const risky = level === "danger" || reasons.length > 0;
  return (
    (title || reason || risky) &&
    html`<div class="says">
      <p class="name">${say("approval.says")}</p>
      ${title && html`<p class="strong">${escapeText(title)}</p>`}
      ${reason && drawText(request, reason, "approval.reason", say)}
      ${risky && html`<p>${icons.warn} ${say("approvals.danger")} ${escapeText(reasons.join(" "))}</p>`}
    </div>`
  );
}

function drawSubject(context: ApprovalContext, request: InputRequest, approval: ShownApproval): Template {
  const { plan } = approval;
  return plan ? drawText(request, plan, "approval.plan", context.host.say) : drawEditable(context, approval);
}

/** How many reasons are shown, and how much of each: they may quote the call, which is shown above. */
const REASONS = 5;
const REASON = 300;

/** Draw a sentence of the policy; text between backticks is code, unless they are unbalanced. */
function drawSentence(text: string): Template {
  const pieces = shorten(text, REASON).split("`");
  const even = pieces.length % 2 === 1;
  return html`${even ? pieces.map((piece, at) => (at % 2 ? html`<code>${escapeText(piece)}</code>` : escapeText(piece))) : escapeText(text)}`;
}

/** Draw why no rule can be stored. */
function drawOnlyOnce({ only_once, only_once_code }: ShownApproval, locale: Locale): Template | false {
  const texts = sentences(only_once ? [only_once] : [], only_once_code ? [only_once_code] : [], locale);
  return texts.length > 0 && html`<p class="hint">${texts.map(drawSentence)}</p>`;
}

const drawReasons = (reasons: readonly string[]): Template =>
  html`<ul>${reasons.slice(0, REASONS).map((text) => html`<li>${drawSentence(text)}</li>`)}${reasons.length > REASONS && html`<li>…</li>`}</ul>`;

/** Draw the dangers, and why the policy asks a person. */
function drawPolicyReasons(
  { plan, risk, risk_codes, reasons, reason_codes }: ShownApproval,
  say: Say,
  locale: Locale,
): Template {
  const dangers = sentences(risk?.reasons, risk_codes, locale);
  const all = plan ? [] : sentences(reasons, reason_codes, locale);
  const others = all.filter((reason) => !dangers.includes(reason));
  return html`${dangers.length > 0 && html`<div class="box">${drawReasons(dangers)}</div>`}
    ${others.length > 0 && html`<div class="why"><p class="name">${say("approval.why")}</p>${drawReasons(others)}</div>`}`;
}

/** Draw who has to approve and who has. */
function drawPeople(
  { assignees, votes }: InputRequest,
  { quorum = 1 }: ShownApproval,
  say: Say,
): Template | false {
  const names = votes?.map(({ by }) => by.name).join(", ");
  return (
    (assignees != null || quorum > 1) &&
    html`<div class="name">
      ${assignees && html`<p>${say("approval.for", { names: assignees.join(", ") })}</p>`}
      ${quorum > 1 && html`<p>${say("approval.quorum", { count: approvalCount(votes), all: quorum })}${names && html`: <bdi>${names}</bdi>`}</p>`}
    </div>`
  );
}

/** Return why this person cannot decide, false if they can. */
function noChoiceReason(
  { host: { say, view }, me }: ApprovalContext,
  { votes }: InputRequest,
): string | false {
  if (me && hasVoted(me, votes)) return say("approval.voted");
  return stateOf(view) === "disabled" && say("disabled");
}

/** Draw an open approval: who wants what and why, what would run, and the choices. */
export function drawCard(context: ApprovalContext, request: InputRequest): Template {
  const { approval } = request;
  const { say } = context.host;
  if (!approval) return html`<p>${say("unknown_kind")}</p>`;
  const hint = noChoiceReason(context, request);
  const choices = html`${drawOnlyOnce(approval, context.host.locale)} ${drawChoices(context, request, approval)}`;
  return html`${drawHead(context, request, approval)} ${context.denyAll.drawQuestion()} ${drawAgentText(request, approval, say)}
    ${drawSubject(context, request, approval)} ${drawPolicyReasons(approval, say, context.host.locale)} ${drawPeople(request, approval, say)}
    ${hint ? html`<p class="hint">${hint}</p>` : choices}`;
}
