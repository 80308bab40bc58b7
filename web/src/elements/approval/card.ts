import { approvalCount, hasVoted } from "../../core/approval.ts";
import { audience } from "../../core/audience.ts";
import type { InputRequest, ShownApproval } from "../../core/generated/wire.ts";
import { stateOf } from "../../core/machine.ts";
import type { Locale } from "../../core/messages.ts";
import { html, type Template } from "../html.ts";
import { icons } from "../icons.ts";
import type { Host } from "../kind.ts";
import { type GetText, momentText, timeLeft } from "../text.ts";
import { drawText } from "./agenttext.ts";
import { drawChoices, drawEditable } from "./choices.ts";
import type { ApprovalContext } from "./context.ts";
import { escapeText } from "./escapes.ts";
import { drawSentence, sentences } from "./reasons.ts";

/** The question of each kind of call. */
const questionKey = ({ plan, preview }: ShownApproval): string =>
  `approval.ask_${plan ? "plan" : preview && preview.type !== "json" && preview.type !== "table" ? preview.type : "tool"}`;

/** Draw what it is about: the agent's title, marked as such, below our own words; without one, the question. */
function drawHead(context: ApprovalContext, request: InputRequest, approval: ShownApproval): Template {
  const { getText, headingLevel } = context.host;
  const queue = context.decidableRequests(request);
  const at = queue.findIndex(({ id }) => id === request.id) + 1;
  const { title, tool } = approval;
  const [before, after] = getText(questionKey(approval)).split("{tool}");
  const question = html`${before}${after !== undefined && html`<code>${escapeText(tool)}</code>${after}`}`;
  return html`<div class="about">
    ${
      queue.length > 1 &&
      html`<span class="place">${getText("approvals.place", { at, all: queue.length })}</span>`
    }
    ${title && html`<p class="kicker">${question} ${getText("approval.says_title")}</p>`}
    <div class="title" role="heading" aria-level=${headingLevel} id="title" tabindex="-1">${title ? html`<q>${escapeText(title)}</q>` : question}</div>
  </div>`;
}

/** Draw the agent's reason, apart from what the server says. */
const drawAgentText = (
  request: InputRequest,
  { reason }: ShownApproval,
  getText: GetText,
): Template | "" | undefined | null =>
  reason &&
  html`<div class="says">
    <p class="name">${getText("approval.says")}</p>
    ${drawText(request, reason, "approval.reason", getText)}
  </div>`;

function drawSubject(context: ApprovalContext, request: InputRequest, approval: ShownApproval): Template {
  const { plan } = approval;
  return plan
    ? drawText(request, plan, "approval.plan", context.host.getText)
    : drawEditable(context, approval);
}

/** How many reasons are shown. */
const REASONS = 5;

const drawReasons = (reasons: readonly string[]): Template =>
  html`<ul>${reasons.slice(0, REASONS).map((text) => html`<li>${drawSentence(text)}</li>`)}${reasons.length > REASONS && html`<li>…</li>`}</ul>`;

/** Draw the dangers, each in a sentence: those that the policy sees, and those that the agent names. */
function drawDangers(
  { risk, risk_codes, agent_risk }: ShownApproval,
  getText: GetText,
  locale: Locale,
): Template | false {
  const dangers = sentences(risk?.reasons, risk_codes, locale);
  const named = agent_risk?.reasons ?? [];
  const says = agent_risk?.level === "danger" || named.length > 0;
  return (
    (risk?.level === "danger" || says) &&
    html`<div class="box">
      <p class="strong">${icons.warn} ${getText(dangers.length > 0 || !says ? "approvals.danger" : "approval.says_danger")}</p>
      ${dangers.length > 0 && drawReasons(dangers)}
      ${says && (dangers.length > 0 || named.length > 0) && html`<p>${getText("approval.says")}: <q>${escapeText(named.join(" ") || getText("approvals.danger"))}</q></p>`}
    </div>`
  );
}

/** Draw why the policy asks a person, and why no rule can be stored, folded. */
function drawWhy(
  { plan, risk, risk_codes, reasons, reason_codes, only_once, only_once_code }: ShownApproval,
  getText: GetText,
  locale: Locale,
): Template | false {
  const dangers = sentences(risk?.reasons, risk_codes, locale);
  const all = plan ? [] : sentences(reasons, reason_codes, locale);
  const once = sentences(only_once ? [only_once] : [], only_once_code ? [only_once_code] : [], locale);
  const others = [...all.filter((reason) => !dangers.includes(reason)), ...once];
  const count = others.length;
  // Of letters that look like others only the reason tells: it is read with the call.
  const isDeceptive = /"mixed_|"lookalike_/.test(JSON.stringify(reason_codes));
  return (
    count > 0 &&
    html`<details class="why" open=${isDeceptive}>
      <summary>${getText(count === 1 ? "approval.why_one" : "approval.why_many", { count })}</summary>
      ${drawReasons(others)}
    </details>`
  );
}

/** Draw who has to approve, unless the hint below says that, and who has. */
function drawPeople(
  request: InputRequest,
  { quorum = 1 }: ShownApproval,
  hint: string | false,
  getText: GetText,
): Template | false {
  const { votes } = request;
  const assignees = !hint && audience(request);
  const names = votes?.map(({ by }) => by.name).join(", ");
  return (
    (!!assignees || quorum > 1) &&
    html`<div class="name">
      ${assignees && html`<p>${getText("approval.for", { names: assignees })}</p>`}
      ${quorum > 1 && html`<p>${getText("approval.quorum", { count: approvalCount(votes), all: quorum })}${names && html`: <bdi>${names}</bdi>`}</p>`}
    </div>`
  );
}

/** Return why this person cannot decide, false if they can. */
function noChoiceReason(
  { host: { getText, view }, me }: ApprovalContext,
  { votes }: InputRequest,
): string | false {
  if (me && hasVoted(me, votes)) return getText("approval.voted");
  return stateOf(view) === "disabled" && getText("disabled");
}

/** Draw what happens without an answer, and when. */
function drawDeadline({ expires_at, on_timeout }: InputRequest, { client, locale, getText }: Host): Template {
  if (!expires_at) return html`<p class="deadline">${icons.clock} ${getText("approval.end_never")}</p>`;
  const [at, rest] = [
    momentText(expires_at, locale),
    timeLeft(expires_at, client?.now ?? Date.now(), locale),
  ];
  const end = on_timeout && ENDS.includes(on_timeout) ? on_timeout : "expire";
  return html`<p class="deadline">${icons.clock} ${getText(`approval.end_${end}`, { when: rest ? `${rest} (${at})` : at })}</p>`;
}

const ENDS = ["deny", "cancel", "resume"];

/** Draw an open approval: what it is about, the danger, what would run, the agent's words, why, and the choices. */
export function drawCard(context: ApprovalContext, request: InputRequest): Template {
  const { approval } = request;
  const { getText, locale } = context.host;
  if (!approval) return html`<p>${getText("unknown_kind")}</p>`;
  const hint = noChoiceReason(context, request);
  return html`${drawHead(context, request, approval)} ${drawDangers(approval, getText, locale)}
    ${drawSubject(context, request, approval)} ${drawAgentText(request, approval, getText)} ${drawWhy(approval, getText, locale)}
    ${drawPeople(request, approval, hint, getText)} ${drawDeadline(request, context.host)}
    ${hint ? html`<p class="hint">${hint}</p>` : drawChoices(context, request, approval)}`;
}
