import type { RuleDescription, RuleTrial } from "../../../core/generated/wire.ts";
import { escapeText } from "../../../elements/approval/escapes.ts";
import { html, type Template } from "../../../elements/html.ts";
import type { GetText } from "../../../elements/text.ts";

export type Effect = "allow" | "ask" | "deny";
export const EFFECTS: readonly Effect[] = ["allow", "ask", "deny"];
const TAG_CLASSES: Record<Effect, string> = { allow: "tag good", ask: "tag warn", deny: "tag bad" };

/** Draw what a rule decides. */
export const drawEffect = (effect: Effect, getText: GetText): Template =>
  html`<span class=${TAG_CLASSES[effect]}>${getText(`rules.${effect}`)}</span>`;

const code = (text: string): Template => html`<code dir="ltr">${escapeText(text)}</code>`;

/** Draw what a rule covers, in words; the text of a rule that can no longer be read as it is. */
export function drawRule(
  text: string,
  description: RuleDescription | null | undefined,
  effect: Effect,
  getText: GetText,
): Template {
  if (!description) return code(text);
  const { form, subject, details = [], folder } = description;
  const words = form === "options" && effect !== "allow" ? "options_any" : form;
  return html`<span class="covers">
    ${subject && code(subject)}
    <span class="muted">${getText(`rules.form_${words}`)}</span>
    ${details.map(code)}
    ${folder && html`<span class="muted">${getText("rules.in_folder")}</span>`}
    ${folder && code(folder)}
  </span>`;
}

/** Say what a trial on a call has shown; nothing without a call. */
export function describeTrial({ covers, now, then }: RuleTrial, getText: GetText): string {
  if (!now) return "";
  const today = getText(`rules.now_${now.decision}`);
  if (!then) return today;
  const matchText = getText(covers ? "rules.covers" : "rules.covers_not");
  const verdictAfter =
    then.decision === now.decision ? getText("rules.then_same") : getText(`rules.then_${then.decision}`);
  return [matchText, today, verdictAfter].join(" ");
}
