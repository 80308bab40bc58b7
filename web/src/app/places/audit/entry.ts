import type { AuditEntries } from "../../../core/generated/wire.ts";
import { escapeText } from "../../../elements/approval/escapes.ts";
import { html, type Template } from "../../../elements/html.ts";
import type { GetText } from "../../../elements/text.ts";
import { pathOf } from "../../router.ts";

type Entry = AuditEntries["entries"][number];

/** What entries can be filtered by: actions, and the beginnings of actions. */
export const SUBJECTS = [
  "decide",
  "decline",
  "cancel",
  "expire",
  "revoke",
  "refusal",
  "assign",
  "comment",
  "consume",
  "report",
  "resume",
  "refused",
  "rule",
  "policy",
  "secret",
  "token",
  "login",
  "session",
  "agent",
  "root",
  "thread",
  "share",
  "limits",
  "webhook",
  "audit",
] as const;

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** Who did it: a person or an agent by name, or the policy. */
export function actorOf(
  { action, actor, requester, via }: Entry,
  agents: Record<string, string>,
  getText: GetText,
): Template {
  const defaultActor = getText(action === "decide" ? "audit.policy" : "audit.server");
  const name = text((actor as { name?: unknown } | undefined)?.name) || defaultActor;
  const asker = agents[text(requester)];
  return html`${escapeText(name)}
    ${asker && asker !== name && html`<p class="muted">${getText("audit.asked_by", { name: asker })}</p>`}
    ${via && via !== "policy" && html`<p class="muted">${getText("audit.via", { name: text(via) })}</p>`}`;
}

/** What was done, in words as far as there are some. */
export function subjectOf(entry: Entry, getText: GetText): Template {
  const action = text(entry.action);
  const decision = text(entry.decision);
  const subject = SUBJECTS.find((prefix) => action === prefix || action.startsWith(`${prefix}.`));
  const verdict =
    decision &&
    html`<span class=${decision === "approve" ? "tag good" : "tag bad"}>${getText(`audit.${decision}`)}</span>`;
  return html`${subject ? getText(`audit.subject_${subject}`) : ""} <code>${action}</code> ${verdict}
    ${entry.rule && html`<p class="muted"><code dir="ltr">${escapeText(text(entry.rule))}</code></p>`}
    ${entry.attempted && html`<p class="muted"><code>${escapeText(text(entry.attempted))}</code></p>`}`;
}

/** Links to what an entry is about. */
export function drawAbout(entry: Entry, { threads }: AuditEntries["names"], getText: GetText): unknown {
  const request = text(entry.request_id);
  const thread = text(entry.thread_id);
  const rule = text(entry.rule_id);
  return [
    request && html`<p><a href=${pathOf("inbox", request)}>${getText("audit.request")}</a></p>`,
    rule && html`<p><a href=${pathOf("rules", rule)}>${getText("audit.rule")}</a></p>`,
    thread &&
      html`<p><a href=${pathOf("conversations", thread)}>${escapeText(threads[thread] ?? thread)}</a></p>`,
  ];
}

/** The whole entry, folded. */
export const drawDetails = (entry: Entry, getText: GetText): Template =>
  html`<details><summary>${getText("audit.number", { seq: text(String(entry.seq ?? "")) })}</summary>
    <pre dir="ltr"><code>${escapeText(JSON.stringify(entry, null, 2))}</code></pre></details>`;
