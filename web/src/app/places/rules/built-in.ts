import type { BuiltInRules, RuleUsage } from "../../../core/generated/wire.ts";
import { html, type Template } from "../../../elements/html.ts";
import type { Say } from "../../../elements/text.ts";
import { pathOf } from "../../router.ts";
import { drawRule } from "./words.ts";

/** Draw how often a rule has decided, and where it did so last. */
export function drawUsage(usage: RuleUsage | null | undefined, say: Say): Template {
  if (!usage) return html`<span class="muted">${say("rules.never")}</span>`;
  const { count, last_at, thread_id, thread_title } = usage;
  return html`${say("rules.times", { count })}
    <p class="muted"><askback-time at=${last_at} look="long"></askback-time>${
      thread_id &&
      html` · <a href=${pathOf("conversations", thread_id)}>${thread_title ?? say("rules.conversation")}</a>`
    }</p>`;
}

/** Draw the built-in rules, folded by subject; those that match a search are unfolded. */
export function drawBuiltIn({ groups }: BuiltInRules, words: string, say: Say): Template {
  const found = groups.map(({ name, rules }) => ({
    name,
    rules: rules.filter(({ rule }) => rule.toLowerCase().includes(words)),
  }));
  return html`<section class="built-in" aria-label=${say("rules.built_in")}>
    <h2>${say("rules.built_in")}</h2>
    <p class="muted">${say("rules.built_in_text")}</p>
    ${found.map(({ name, rules }) => {
      const used = rules.reduce((sum, { usage }) => sum + (usage?.count ?? 0), 0);
      const off = rules.filter(({ active }) => !active).length;
      return (
        rules.length > 0 &&
        html`<details .open=${words !== ""}>
          <summary>${say(`rules.group_${name}`)} <span class="muted">${say("rules.count", { count: rules.length })}
            · <span class="times">${say("rules.used_times", { count: used })}</span>
            ${off === rules.length && html`· <span class="tag">${say("rules.inactive")}</span>`}</span></summary>
          <ul>${rules.map(
            ({ rule, description, usage, active }) =>
              html`<li>${drawRule(rule, description, "allow", say)}
                ${!active && off < rules.length && html`<span class="tag">${say("rules.inactive")}</span>`}
                ${usage && html`<span class="muted used times">${say("rules.times", { count: usage.count })} · <askback-time at=${usage.last_at} look="long"></askback-time></span>`}</li>`,
          )}</ul>
        </details>`
      );
    })}
  </section>`;
}

/** Draw what no rule can allow. */
export const drawLimits = (limits: readonly string[], say: Say): Template =>
  html`<section class="built-in">
    <details>
      <summary>${say("rules.limits")} <span class="muted">${say("rules.limits_text")}</span></summary>
      <ul>${limits.map((limit) => html`<li>${say(`rules.${limit}`)}</li>`)}</ul>
    </details>
  </section>`;
