import { type Approval, approvalCount, hasVoted } from "../../core/approval.ts";
import { stateOf } from "../../core/machine.ts";
import type { Locale } from "../../core/messages.ts";
import { own, shorten } from "../../core/path.ts";
import type { InputRequest } from "../../core/wire.ts";
import { html, type Template } from "../html.ts";
import { icons } from "../icons.ts";
import { rich } from "../rich.ts";
import type { Say } from "../text.ts";
import { escaped, escapedTree } from "./chips.ts";
import { drawChoices, drawEditable } from "./choices.ts";
import type { Desk } from "./desk.ts";
import { sentences } from "./reasons.ts";

/** Words with a name in them, which is set as code. */
function named(text: string, name: string): Template {
  const [before, after] = text.split("{tool}");
  return html`${before}<code>${escaped(name)}</code>${after}`;
}

function drawHead(desk: Desk, request: InputRequest, { tool, plan, risk }: Approval): Template {
  const { say, headingLevel } = desk.host;
  const queue = desk.mine(request);
  const at = queue.findIndex(({ id }) => id === request.id) + 1;
  return html`<div class="actions">
    <div class="title" role="heading" aria-level=${headingLevel} id="title">${plan ? say("approval.plan_title") : named(say("approval.title"), tool)}</div>
    ${risk?.level === "danger" && html`<span class="flag">${icons.warn} ${say("approvals.danger")}</span>`}
    ${
      queue.length > 1 &&
      html`<span class="place">${say("approvals.place", { at, all: queue.length })} ${desk.all.drawButton(queue)}</span>`
    }
  </div>`;
}

/** What the agent says of its call, apart from what the server says. */
function drawSays(request: InputRequest, { title, reason, agent_risk }: Approval, say: Say) {
  const tree = own(request.view?.markdown, "approval.reason");
  const { level, reasons = [] } = agent_risk ?? {};
  const risky = level === "danger" || reasons.length > 0;
  return (
    (title || reason || risky) &&
    html`<div class="says">
      <p class="name">${say("approval.says")}</p>
      ${title && html`<p class="strong">${escaped(title)}</p>`}
      ${reason && html`<div class=${tree ? "description rich" : "description"}>${tree ? rich(escapedTree(tree), say) : escaped(reason)}</div>`}
      ${risky && html`<p>${icons.warn} ${say("approvals.danger")} ${escaped(reasons.join(" "))}</p>`}
    </div>`
  );
}

function drawSubject(desk: Desk, request: InputRequest, approval: Approval): Template {
  const tree = own(request.view?.markdown, "approval.plan");
  if (!approval.plan) return drawEditable(desk, approval);
  return tree
    ? html`<div class="description rich">${rich(escapedTree(tree), desk.host.say)}</div>`
    : html`<div class="description">${escaped(approval.plan)}</div>`;
}

/** How many reasons are shown, and how much of each: they may quote the call, which is shown above. */
const REASONS = 5;
const REASON = 300;

/** A sentence of the policy; what it quotes between backticks is code, unless the quote has some too. */
function quoting(text: string): Template {
  const pieces = shorten(text, REASON).split("`");
  const even = pieces.length % 2 === 1;
  return html`${even ? pieces.map((piece, at) => (at % 2 ? html`<code>${escaped(piece)}</code>` : escaped(piece))) : escaped(text)}`;
}

/** Why nothing can be kept of the call. */
function drawOnlyOnce({ only_once, only_once_code }: Approval, locale: Locale): Template | false {
  const texts = sentences(only_once ? [only_once] : [], only_once_code ? [only_once_code] : [], locale);
  return texts.length > 0 && html`<p class="hint">${texts.map(quoting)}</p>`;
}

const drawReasons = (reasons: readonly string[]): Template =>
  html`<ul>${reasons.slice(0, REASONS).map((text) => html`<li>${quoting(text)}</li>`)}${reasons.length > REASONS && html`<li>…</li>`}</ul>`;

/** What is dangerous about it, and why the policy leaves it to a person. */
function drawWhy(
  { plan, risk, risk_codes, reasons, reason_codes }: Approval,
  say: Say,
  locale: Locale,
): Template {
  const dangers = sentences(risk?.reasons, risk_codes, locale);
  const all = plan ? [] : sentences(reasons, reason_codes, locale);
  const others = all.filter((reason) => !dangers.includes(reason));
  return html`${dangers.length > 0 && html`<div class="box">${drawReasons(dangers)}</div>`}
    ${others.length > 0 && html`<div class="why"><p class="name">${say("approval.why")}</p>${drawReasons(others)}</div>`}`;
}

/** Who has to agree and who has. */
function drawPeople(
  { assignees, votes }: InputRequest,
  { quorum = 1 }: Approval,
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

/** Why this person has nothing to choose, if so. */
function hindrance({ host: { say, view }, me }: Desk, { votes }: InputRequest): string | false {
  if (me && hasVoted(me, votes)) return say("approval.voted");
  return stateOf(view) === "disabled" && say("disabled");
}

/** An open approval: who wants what and why, what would run, and what can be chosen. */
export function drawCard(desk: Desk, request: InputRequest): Template {
  const { approval } = request;
  const { say } = desk.host;
  if (!approval) return html`<p>${say("unknown_kind")}</p>`;
  const hint = hindrance(desk, request);
  const choices = html`${drawOnlyOnce(approval, desk.host.locale)} ${drawChoices(desk, request, approval)}`;
  return html`${drawHead(desk, request, approval)} ${desk.all.drawQuestion()} ${drawSays(request, approval, say)}
    ${drawSubject(desk, request, approval)} ${drawWhy(approval, say, desk.host.locale)} ${drawPeople(request, approval, say)}
    ${hint ? html`<p class="hint">${hint}</p>` : choices}`;
}
