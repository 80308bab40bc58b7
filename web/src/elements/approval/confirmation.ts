import type { Approval, RuleChoice } from "../../core/approval.ts";
import { visible } from "../../core/parts.ts";
import type { InputRequest } from "../../core/wire.ts";
import { ticked } from "../fieldview.ts";
import { html, type Template } from "../html.ts";
import { icons } from "../icons.ts";
import type { Say } from "../text.ts";
import { drawBack, drawButton, isBusy } from "./buttons.ts";
import { chips, escaped } from "./chips.ts";
import type { Desk, Sure } from "./desk.ts";

/** What a rule covers, in words. */
const wordsOf = ({ kind, subject }: RuleChoice, say: Say): string =>
  say(`approval.choice_${kind}`, { subject: subject ?? "" });

/** The rules that can be kept: one is stated, of several one is chosen. */
function drawRules(desk: Desk, choices: readonly RuleChoice[]): Template {
  const { say } = desk.host;
  const chosen = desk.entered.rule ?? choices[0]?.rule;
  const draw = (choice: RuleChoice) => html`<span class="what"
    ><span>${wordsOf(choice, say)}</span><small><code>${chips(visible(choice.rule))}</code></small></span
  >`;
  if (choices.length < 2) return html`<div class="option">${choices.map(draw)}</div>`;
  return html`<div class="options" role="radiogroup" aria-labelledby="sure">
    ${choices.map((choice, at) =>
      drawRadio("rule", at === 0, choice.rule === chosen, draw(choice), () =>
        desk.enter({ rule: at === 0 ? null : choice.rule }),
      ),
    )}
  </div>`;
}

/** One of several options; an error leads to the first. */
const drawRadio = (name: string, first: boolean, on: boolean, what: unknown, pick: () => void): Template =>
  html`<label class="option">
    <input id=${first && name} type="radio" name=${name} .checked=${on} .onchange=${pick} />
    ${what}
  </label>`;

/** For which agents a rule is kept. */
function drawAgents(desk: Desk, agent: string): Template {
  const { say } = desk.host;
  const every = desk.entered.every_agent;
  const radio = (all: boolean, text: string) =>
    drawRadio("every_agent", !all, all === every, html`<span class="what">${escaped(text)}</span>`, () =>
      desk.enter({ every_agent: all }),
    );
  return html`<div class="options" role="radiogroup" aria-labelledby="whom">
    <p id="whom">${say("approval.whom")}</p>
    ${radio(false, say("approval.only", { agent }))}
    ${radio(true, say("approval.every"))}
  </div>`;
}

/** A yes to whatever is in the files that the command runs by name. */
function drawScripts(desk: Desk, scripts: readonly string[]): Template {
  const { say, errorAt } = desk.host;
  const error = errorAt.call(desk.host, "script_may_change");
  return html`<div class=${error ? "field wrong" : "field"}>
    ${error && html`<p class="error" id="unsure">${icons.warn} ${error}</p>`}
    <label class="option">
      <input
        id="script_may_change"
        type="checkbox"
        aria-invalid=${!!error}
        aria-describedby=${error && "unsure"}
        .checked=${desk.entered.script_may_change}
        .onchange=${(event: Event) => desk.enter({ script_may_change: ticked(event) })}
      />
      <span class="what">${escaped(say("approval.scripts", { files: scripts.join(", ") }))}</span>
    </label>
  </div>`;
}

/** Ask again before something dangerous runs or a rule is stored; the rule is shown in full and can be chosen. */
export function drawSure(desk: Desk, request: InputRequest, approval: Approval, scope: Sure): Template {
  const { say } = desk.host;
  const { risk, rule, project, root, scripts = [] } = approval;
  const agent = request.requester?.name ?? say("agent");
  const danger = risk?.level === "danger" && scope !== "never";
  const keeps = scope !== "once" && scope !== "root";
  const choices = approval.choices ?? (rule ? [{ rule, kind: "exact" as const }] : []);
  return html`<div class=${danger ? "sure" : "sure calm"} role="group" aria-labelledby="sure">
    <div id="sure">
      ${danger && html`<p><strong>${say("approval.sure")}</strong></p>`}
      ${scope !== "once" && html`<p>${escaped(say(`approval.keep_${scope}`, { project: project ?? "", agent, folder: root ?? "" }))}</p>`}
    </div>
    ${keeps && drawRules(desk, choices)}
    ${keeps && drawAgents(desk, agent)}
    ${keeps && scope !== "never" && approval.runs_project && html`<p>${say("approval.runs_project")}</p>`}
    ${(scope === "always" || scope === "project") && scripts.length > 0 && drawScripts(desk, scripts)}
    <div class="actions arm">
      ${drawButton({
        look: danger || scope === "never" ? "danger primary" : "primary",
        text: say(`approval.yes_${scope}`),
        off: isBusy(desk) || !desk.armed,
        press: () => desk.confirm(),
      })}
      ${drawBack(desk)}
    </div>
  </div>`;
}
