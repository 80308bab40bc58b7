import type { Approval, Preview, Scope } from "../../core/approval.ts";
import { visible } from "../../core/parts.ts";
import type { InputRequest } from "../../core/wire.ts";
import { typed } from "../fieldview.ts";
import { html, type Template } from "../html.ts";
import { icons } from "../icons.ts";
import { type Button, drawBack, drawButton, isBusy } from "./buttons.ts";
import { drawCall, previewOf } from "./call.ts";
import { chips, escaped } from "./chips.ts";
import { drawSure } from "./confirmation.ts";
import type { Desk } from "./desk.ts";
import { isCommand } from "./entered.ts";

/** A box for a text of the person's, with what is wrong with it; `code` runs from left to right, whatever it holds. */
function drawBox(
  desk: Desk,
  name: "note" | "edited_input",
  text: string,
  label: string,
  code = false,
): Template {
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

/** What approves, and how far. */
function drawGrants(desk: Desk, buttons: readonly Omit<Button, "off">[]): Template {
  const { say } = desk.host;
  const off = isBusy(desk) || !desk.armed;
  return html`<div class="actions arm" role="group" aria-label=${say("approval.allow")}>
    ${buttons.map((button) => drawButton({ ...button, off }))}
  </div>`;
}

/** Whether the folder can be granted here: to read in it, by this person alone, for the call as it is shown. */
const mayGrant = ({ root, preview, quorum = 1 }: Approval): boolean =>
  !!root && preview?.type !== "file" && quorum < 2;

function drawScopes(desk: Desk, approval: Approval): Template {
  const { scopes, risk, choices, root } = approval;
  const { say } = desk.host;
  const unchanged = desk.entered.edited_input === null;
  const never = unchanged && scopes?.includes("always") && choices?.length;
  const offered: readonly Scope[] = (unchanged && scopes) || ["once"];
  const grants: Omit<Button, "off">[] = offered.map((scope) => ({
    id: scope,
    look: scope === "once" && risk?.level !== "danger" && "primary",
    text: say(`approval.${scope}`),
    press: () => desk.choose(scope),
  }));
  if (unchanged && mayGrant(approval))
    grants.splice(1, 0, {
      id: "root",
      text: html`<span>${escaped(say("approval.root", { folder: root ?? "" }))}</span>`,
      press: () => desk.ask("root"),
    });
  return html`<div class="actions">
    ${drawDeny(desk, "approval.deny", "danger")}
    ${
      never &&
      drawButton({
        id: "never",
        look: "quiet more",
        text: say("approval.never"),
        off: isBusy(desk) || !desk.armed,
        press: () => desk.ask("never"),
      })
    }
    ${drawGrants(desk, grants)}
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
  ${drawGrants(desk, [
    {
      id: "once",
      look: "primary",
      text: desk.host.say("approval.plan_yes"),
      press: () => desk.choose("once"),
    },
    { text: desk.host.say("approval.plan_edits"), press: () => desk.choose("once", "accept_edits") },
  ])}
</div>`;

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

/** What can be chosen, or the question that a choice has led to. */
export function drawChoices(desk: Desk, request: InputRequest, approval: Approval): Template {
  const { asking } = desk;
  if (asking === "changes") return drawChanges(desk);
  if (asking) return drawSure(desk, request, approval, asking);
  return html`${!approval.plan && drawNote(desk)} ${approval.plan ? drawVerdicts(desk) : drawScopes(desk, approval)}`;
}
