import type { Approval, Preview, Scope } from "../../core/approval.ts";
import { visible } from "../../core/parts.ts";
import { typed } from "../fieldview.ts";
import { html, type Template } from "../html.ts";
import { icons } from "../icons.ts";
import { drawCall, previewOf } from "./call.ts";
import { chips } from "./chips.ts";
import type { Desk } from "./desk.ts";
import { type Entered, isCommand } from "./entered.ts";

/** A box for a text of the person's, with what is wrong with it; `code` runs from left to right, whatever it holds. */
function drawBox(desk: Desk, name: keyof Entered, text: string, label: string, code = false): Template {
  const error = desk.host.errorAt(name);
  const parts = code ? visible(text) : [];
  return html`<div class=${error ? "field wrong" : "field"}>
    <label class="name" for=${name}>${label}</label>
    ${error && html`<p class="error" id="wrong">${icons.warn} ${error}</p>`}
    <textarea
      id=${name}
      class=${code && "code"}
      dir=${code && "ltr"}
      rows="1"
      spellcheck=${code && "false"}
      autocomplete="off"
      aria-invalid=${!!error}
      aria-describedby=${error && "wrong"}
      .value=${text}
      .oninput=${(event: Event) => desk.enter({ [name]: typed(event) })}
    ></textarea>
    ${parts.some((part) => typeof part !== "string") && html`<pre class="code" dir="ltr">${chips(parts)}</pre>`}
  </div>`;
}

/** The call as a text that can be changed. */
const drawEditor = (desk: Desk, approval: Approval, text: string): Template =>
  drawBox(
    desk,
    "edited_input",
    text,
    desk.host.say(isCommand(approval) ? "approval.edit_command" : "approval.edit_json"),
    true,
  );

/** The call, or the text that it becomes while it is edited; what the text leaves as it was stands beside it. */
export function drawEditable(desk: Desk, approval: Approval): Template {
  const { host, shown, asking, entered } = desk;
  const { say } = host;
  const preview = previewOf(approval);
  const { headline, rest } = preview;
  const text = entered.edited_input;
  const left: Preview =
    isCommand(approval) && rest ? { type: "json", headline, rest } : { type: "json", headline };
  return html`<div class="call">
    ${text !== null && drawEditor(desk, approval, text)}
    ${drawCall(text === null ? preview : left, shown)}
    ${
      approval.allow_edit &&
      asking === null &&
      drawButton({
        id: "edit",
        look: "quiet more",
        text: say(text === null ? "approval.edit" : "approval.discard"),
        off: isBusy(desk),
        press: () => desk.edit(text === null),
      })
    }
  </div>`;
}

const drawNote = (desk: Desk): Template => html`<details class="aside" .open=${!!desk.host.errorAt("note")}>
  <summary>${desk.host.say("approval.note")}</summary>
  ${drawBox(desk, "note", desk.entered.note, desk.host.say("approval.note_label"))}
</details>`;

interface Button {
  id?: string;
  look?: string | false;
  text: string;
  off: boolean;
  press(): void;
}

const drawButton = ({ id, look, text, off, press }: Button): Template =>
  html`<button type="button" id=${id} class=${look} aria-disabled=${off} .onclick=${press}>${text}</button>`;

const isBusy = ({ host }: Desk): boolean => host.view.phase === "submitting";

/** What approves, and how far. */
function drawGrants(desk: Desk, label: string, buttons: readonly Omit<Button, "off">[]): Template {
  const { say } = desk.host;
  const off = isBusy(desk) || !desk.armed;
  return html`<div class="actions arm" role="group" aria-label=${say("approval.allow")}>
    ${label && html`<span class="allow" aria-hidden="true">${label}</span>`}
    ${buttons.map((button) => drawButton({ ...button, off }))}
  </div>`;
}

function drawScopes(desk: Desk, { scopes, risk }: Approval): Template {
  const { say } = desk.host;
  const offered: readonly Scope[] = desk.entered.edited_input === null ? (scopes ?? ["once"]) : ["once"];
  const grants = offered.map((scope) => ({
    id: scope,
    look: scope === "once" && risk?.level !== "danger" && "primary",
    text: say(`approval.${scope}`),
    press: () => desk.choose(scope),
  }));
  return html`<div class="actions">
    ${drawDeny(desk, "approval.deny", "danger")} ${drawGrants(desk, say("approval.allow"), grants)}
  </div>`;
}

const drawDeny = (desk: Desk, key: string, look: string): Template =>
  drawButton({
    id: "deny",
    look,
    text: desk.host.say(key),
    off: isBusy(desk) || (desk.host.modal && !desk.armed),
    press: () => desk.deny(),
  });

const drawVerdicts = (desk: Desk): Template => html`<div class="actions">
  ${drawDeny(desk, "approval.plan_no", "")}
  ${drawGrants(desk, "", [
    {
      id: "once",
      look: "primary",
      text: desk.host.say("approval.plan_yes"),
      press: () => desk.choose("once"),
    },
    { text: desk.host.say("approval.plan_edits"), press: () => desk.choose("once", "accept_edits") },
  ])}
</div>`;

const drawBack = (desk: Desk): Template =>
  drawButton({ id: "back", text: desk.host.say("sure_no"), off: isBusy(desk), press: () => desk.back() });

const drawChanges = (
  desk: Desk,
): Template => html`${drawBox(desk, "note", desk.entered.note, desk.host.say("approval.plan_note"))}
  <div class="actions">
    ${drawButton({
      look: "primary",
      text: desk.host.say("send"),
      off: isBusy(desk),
      press: () => desk.confirm(),
    })}
    ${drawBack(desk)}
  </div>`;

/** Once more, before something dangerous runs or a rule is kept: the rule is shown in full and can be changed. */
function drawSure(desk: Desk, { risk, rule, project }: Approval, scope: Scope): Template {
  const { say } = desk.host;
  const danger = risk?.level === "danger";
  const keeps = scope !== "once";
  return html`<div class=${danger ? "sure" : "sure calm"} role="group" aria-labelledby="sure">
    <div id="sure">
      ${danger && html`<p><strong>${say("approval.sure")}</strong></p>`}
      ${keeps && html`<p>${say(`approval.keep_${scope}`, { project: project ?? "" })}</p>`}
    </div>
    ${keeps && drawBox(desk, "rule", desk.entered.rule ?? rule ?? "", say("approval.rule"), true)}
    <div class="actions arm">
      ${drawButton({
        look: danger ? "danger primary" : "primary",
        text: say(keeps ? "approval.yes_keep" : "approval.yes"),
        off: isBusy(desk) || !desk.armed,
        press: () => desk.confirm(),
      })}
      ${drawBack(desk)}
    </div>
  </div>`;
}

/** What can be chosen, or the question that a choice has led to. */
export function drawChoices(desk: Desk, approval: Approval): Template {
  const { asking } = desk;
  if (asking === "changes") return drawChanges(desk);
  if (asking) return drawSure(desk, approval, asking);
  return html`${!approval.plan && drawNote(desk)} ${approval.plan ? drawVerdicts(desk) : drawScopes(desk, approval)}`;
}
