import type { RuleDescription, RuleTrial } from "../../../core/generated/wire.ts";
import { escapeText } from "../../../elements/approval/escapes.ts";
import { html, type Template } from "../../../elements/html.ts";
import type { Say } from "../../../elements/text.ts";

export type Effect = "allow" | "ask" | "deny";
export const EFFECTS: readonly Effect[] = ["allow", "ask", "deny"];
const LOOKS: Record<Effect, string> = { allow: "tag good", ask: "tag warn", deny: "tag bad" };

/** Draw what a rule decides. */
export const drawEffect = (effect: Effect, say: Say): Template =>
  html`<span class=${LOOKS[effect]}>${say(`rules.${effect}`)}</span>`;

const code = (text: string): Template => html`<code dir="ltr">${escapeText(text)}</code>`;

/** Draw what a rule covers, in words; the text of a rule that can no longer be read as it is. */
export function drawRule(
  text: string,
  description: RuleDescription | null | undefined,
  effect: Effect,
  say: Say,
): Template {
  if (!description) return code(text);
  const { form, subject, details = [], folder } = description;
  const words = form === "options" && effect !== "allow" ? "options_any" : form;
  return html`<span class="covers">
    ${subject && code(subject)}
    <span class="muted">${say(`rules.form_${words}`)}</span>
    ${details.map(code)}
    ${folder && html`<span class="muted">${say("rules.in_folder")}</span>`}
    ${folder && code(folder)}
  </span>`;
}

/** Say what a trial on a call has shown; nothing without a call. */
export function verdictOf({ covers, now, then }: RuleTrial, say: Say): string {
  if (!now) return "";
  const today = say(`rules.now_${now.decision}`);
  if (!then) return today;
  const matches = say(covers ? "rules.covers" : "rules.covers_not");
  const after = then.decision === now.decision ? say("rules.then_same") : say(`rules.then_${then.decision}`);
  return [matches, today, after].join(" ");
}
