import type { InputRequest, RuleChoice, ShownApproval } from "../../core/generated/wire.ts";
import { showInvisible } from "../../core/parts.ts";
import { isChecked } from "../fieldview.ts";
import { html, type Template } from "../html.ts";
import { icons } from "../icons.ts";
import type { GetText } from "../text.ts";
import { type ApprovalContext, type ConfirmStep, drawBack, drawButton, isBusy } from "./context.ts";
import { escapeText, renderEscapes } from "./escapes.ts";

/** Describe what a rule covers. */
const wordsOf = ({ kind, subject }: RuleChoice, getText: GetText): string =>
  getText(`approval.choice_${kind}`, { subject: subject ?? "" });

/** Draw the rules that can be stored, in words; below them, folded, the exact rule and what a rule is. */
function drawRules(context: ApprovalContext, choices: readonly RuleChoice[]): Template {
  const { getText } = context.host;
  const chosen = context.draft.rule ?? choices[0]?.rule ?? "";
  const draw = (choice: RuleChoice) =>
    html`<span class="what">${escapeText(wordsOf(choice, getText))}</span>`;
  const radios = choices.map((choice, at) =>
    drawRadio("rule", at === 0, choice.rule === chosen, draw(choice), () =>
      context.change({ rule: at === 0 ? null : choice.rule }),
    ),
  );
  return html`${
    choices.length < 2
      ? html`<div class="option">${choices.map(draw)}</div>`
      : html`<div class="options" role="radiogroup" aria-labelledby="sure">${radios}</div>`
  }
    <details class="why rule">
      <summary>${getText("approval.exact_rule")}</summary>
      <pre class="code" dir="ltr">${renderEscapes(showInvisible(chosen))}</pre>
      <p>${getText("approval.about_rules")}</p>
    </details>`;
}

/** Draw one of several options; the link of an error leads to the first. */
const drawRadio = (
  name: string,
  first: boolean,
  isChecked: boolean,
  content: unknown,
  pick: () => void,
): Template =>
  html`<label class="option">
    <input id=${first && name} type="radio" name=${name} .checked=${isChecked} .onchange=${pick} />
    ${content}
  </label>`;

/** Draw the choice of the agents that the rule applies to. */
function drawAgents(context: ApprovalContext, agent: string): Template {
  const { getText } = context.host;
  const chosenForEvery = context.draft.every_agent;
  const radio = (everyAgent: boolean, text: string) =>
    drawRadio(
      "every_agent",
      !everyAgent,
      everyAgent === chosenForEvery,
      html`<span class="what">${escapeText(text)}</span>`,
      () => context.change({ every_agent: everyAgent }),
    );
  return html`<div class="options" role="radiogroup" aria-labelledby="whom">
    <p id="whom">${getText("approval.whom")}</p>
    ${radio(false, getText("approval.only", { agent }))}
    ${radio(true, getText("approval.every"))}
  </div>`;
}

/** Draw the checkbox that accepts later changes to the files that the command runs. */
function drawScripts(context: ApprovalContext, scripts: readonly string[]): Template {
  const { getText, errorAt } = context.host;
  const error = errorAt.call(context.host, "script_may_change");
  return html`<div class=${error ? "field wrong" : "field"}>
    ${error && html`<p class="error" id="unsure">${icons.warn} ${error}</p>`}
    <label class="option">
      <input
        id="script_may_change"
        type="checkbox"
        aria-invalid=${!!error}
        aria-describedby=${error && "unsure"}
        .checked=${context.draft.script_may_change}
        .onchange=${(event: Event) => context.change({ script_may_change: isChecked(event) })}
      />
      <span class="what">${escapeText(getText("approval.scripts", { files: scripts.join(", ") }))}</span>
    </label>
  </div>`;
}

/** Ask for a confirmation before something dangerous runs or a rule is stored; the rule is shown in full. */
export function drawConfirmation(
  context: ApprovalContext,
  request: InputRequest,
  approval: ShownApproval,
  scope: ConfirmStep,
): Template {
  const { getText } = context.host;
  const { risk, rule, project, root, scripts = [] } = approval;
  const agent = request.requester?.name ?? getText("agent");
  const danger = risk?.level === "danger" && scope !== "never";
  const stores = scope !== "once" && scope !== "root";
  const choices = approval.choices ?? (rule ? [{ rule, kind: "exact" as const }] : []);
  return html`<div class=${danger ? "sure" : "sure calm"} role="group" aria-labelledby="sure">
    <div id="sure">
      ${danger && html`<p><strong>${getText("approval.sure")}</strong></p>`}
      ${scope !== "once" && html`<p>${escapeText(getText(`approval.keep_${scope}`, { project: project ?? "", agent, folder: root ?? "" }))}</p>`}
    </div>
    ${stores && drawRules(context, choices)}
    ${stores && drawAgents(context, agent)}
    ${stores && scope !== "never" && approval.runs_project && html`<p>${getText("approval.runs_project")}</p>`}
    ${(scope === "always" || scope === "project") && scripts.length > 0 && drawScripts(context, scripts)}
  </div>
  <div class="bar">
      ${drawBack(context)}
      ${drawButton({
        id: "yes",
        variant: danger || scope === "never" ? "danger primary" : "primary",
        text: getText(`approval.yes_${scope}`),
        disabled: isBusy(context) || !context.isReady,
        press: () => context.confirm(),
      })}
  </div>`;
}
