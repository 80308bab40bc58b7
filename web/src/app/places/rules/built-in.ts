import type { BuiltInRules, RuleUsage } from "../../../core/generated/wire.ts";
import { html, type Template } from "../../../elements/html.ts";
import type { GetText } from "../../../elements/text.ts";
import { pathOf } from "../../router.ts";
import { drawRule } from "./words.ts";

/** Draw how often a rule has decided, and where it did so last. */
export function drawUsage(usage: RuleUsage | null | undefined, getText: GetText): Template {
  if (!usage) return html`<span class="muted">${getText("rules.never")}</span>`;
  const { count, last_at, thread_id, thread_title } = usage;
  return html`${getText("rules.times", { count })}
    <p class="muted"><askback-time at=${last_at} look="long"></askback-time>${
      thread_id &&
      html` · <a href=${pathOf("conversations", thread_id)}>${thread_title ?? getText("rules.conversation")}</a>`
    }</p>`;
}

/** Draw the built-in rules, folded by subject; those that match a search are unfolded. */
export function drawBuiltIn({ groups }: BuiltInRules, words: string, getText: GetText): Template {
  const foundGroups = groups.map(({ name, rules }) => ({
    name,
    rules: rules.filter(({ rule }) => rule.toLowerCase().includes(words)),
  }));
  return html`<section class="built-in" aria-label=${getText("rules.built_in")}>
    <h2>${getText("rules.built_in")}</h2>
    <p class="muted">${getText("rules.built_in_text")}</p>
    ${foundGroups.map(({ name, rules }) => {
      const useCount = rules.reduce((sum, { usage }) => sum + (usage?.count ?? 0), 0);
      const inactiveCount = rules.filter(({ active }) => !active).length;
      return (
        rules.length > 0 &&
        html`<details .open=${words !== ""}>
          <summary>${getText(`rules.group_${name}`)} <span class="muted">${getText("rules.count", { count: rules.length })}
            ${useCount > 0 && html`· <span class="times">${getText("rules.used_times", { count: useCount })}</span>`}
            ${inactiveCount === rules.length && html`· <span class="tag">${getText("rules.inactive")}</span>`}</span></summary>
          <ul>${rules.map(
            ({ rule, description, usage, active }) =>
              html`<li>${drawRule(rule, description, "allow", getText)}
                ${!active && inactiveCount < rules.length && html`<span class="tag">${getText("rules.inactive")}</span>`}
                ${usage && html`<span class="muted used times">${getText("rules.times", { count: usage.count })} · <askback-time at=${usage.last_at} look="long"></askback-time></span>`}</li>`,
          )}</ul>
        </details>`
      );
    })}
  </section>`;
}

/** Draw what no rule can allow. */
export const drawLimits = (limits: readonly string[], getText: GetText): Template =>
  html`<section class="built-in">
    <details>
      <summary>${getText("rules.limits")} <span class="muted">${getText("rules.limits_text")}</span></summary>
      <ul>${limits.map((limit) => html`<li>${getText(`rules.${limit}`)}</li>`)}</ul>
    </details>
  </section>`;
