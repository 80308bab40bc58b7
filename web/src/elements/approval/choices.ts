import type { InputRequest, Preview, Scope, ShownApproval } from "../../core/generated/wire.ts";
import { visible } from "../../core/parts.ts";
import { typed } from "../fieldview.ts";
import { html, type Template } from "../html.ts";
import { icons } from "../icons.ts";
import { drawCall, previewOf } from "./call.ts";
import { drawConfirmation } from "./confirmation.ts";
import { type ApprovalContext, type Button, drawBack, drawButton, isBusy } from "./context.ts";
import { isCommand } from "./draft.ts";
import { escapeText, renderEscapes } from "./escapes.ts";

/** Draw a text box with its error; `code` is always left to right. */
function drawBox(
  context: ApprovalContext,
  name: "note" | "edited_input",
  text: string,
  label: string,
  code = false,
): Template {
  const error = context.host.errorAt(name);
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
      .oninput=${(event: Event) => context.change({ [name]: typed(event) })}
    ></textarea>
    ${parts.some((part) => typeof part !== "string") && html`<pre class="code" dir="ltr">${renderEscapes(parts)}</pre>`}
  </div>`;
}

/** Draw the editor of the call. */
const drawEditor = (context: ApprovalContext, approval: ShownApproval, text: string): Template =>
  drawBox(
    context,
    "edited_input",
    text,
    context.host.say(isCommand(approval) ? "approval.edit_command" : "approval.edit_json"),
    true,
  );

/** Draw the call, or its editor together with the parts that cannot be edited. */
export function drawEditable(context: ApprovalContext, approval: ShownApproval): Template {
  const { host, shown, step, draft } = context;
  const { say } = host;
  const preview = previewOf(approval);
  const { headline, rest } = preview;
  const text = draft.edited_input;
  const left: Preview =
    isCommand(approval) && rest ? { type: "json", headline, rest } : { type: "json", headline };
  return html`<div class="call">
    ${text !== null && drawEditor(context, approval, text)}
    ${drawCall(text === null ? preview : left, shown)}
    ${
      approval.allow_edit &&
      step === null &&
      drawButton({
        id: "edit",
        look: "quiet more",
        text: say(text === null ? "approval.edit" : "approval.discard"),
        off: isBusy(context),
        press: () => context.edit(text === null),
      })
    }
  </div>`;
}

const drawNote = (
  context: ApprovalContext,
): Template => html`<details class="aside" .open=${!!context.host.errorAt("note")}>
  <summary>${context.host.say("approval.note")}</summary>
  ${drawBox(context, "note", context.draft.note, context.host.say("approval.note_label"))}
</details>`;

/** Draw the buttons that approve, one for each scope. */
function drawAllowButtons(context: ApprovalContext, buttons: readonly Omit<Button, "off">[]): Template {
  const { say } = context.host;
  const off = isBusy(context) || !context.ready;
  return html`<div class="actions arm" role="group" aria-label=${say("approval.allow")}>
    ${buttons.map((button) => drawButton({ ...button, off }))}
  </div>`;
}

/** Whether this person can grant the folder: a call that reads, decided by one person. */
const mayGrant = ({ root, preview, quorum = 1 }: ShownApproval): boolean =>
  !!root && preview?.type !== "file" && quorum < 2;

function drawScopes(context: ApprovalContext, approval: ShownApproval): Template {
  const { scopes, risk, choices, root } = approval;
  const { say } = context.host;
  const unchanged = context.draft.edited_input === null;
  const never = unchanged && scopes?.includes("always") && choices?.length;
  const offered: readonly Scope[] = (unchanged && scopes) || ["once"];
  const grants: Omit<Button, "off">[] = offered.map((scope) => ({
    id: scope,
    look: scope === "once" && risk?.level !== "danger" && "primary",
    text: say(`approval.${scope}`),
    press: () => context.choose(scope),
  }));
  if (unchanged && mayGrant(approval))
    grants.splice(1, 0, {
      id: "root",
      text: html`<span>${escapeText(say("approval.root", { folder: root ?? "" }))}</span>`,
      press: () => context.ask("root"),
    });
  return html`<div class="actions">
    ${drawDeny(context, "approval.deny", "danger")}
    ${
      never &&
      drawButton({
        id: "never",
        look: "quiet more",
        text: say("approval.never"),
        off: isBusy(context) || !context.ready,
        press: () => context.ask("never"),
      })
    }
    ${drawAllowButtons(context, grants)}
  </div>`;
}

const drawDeny = (context: ApprovalContext, key: string, look: string): Template =>
  drawButton({
    id: "deny",
    look,
    text: context.host.say(key),
    off: isBusy(context) || (context.host.modal && !context.ready),
    press: () => context.deny(),
  });

const drawPlanButtons = (context: ApprovalContext): Template => html`<div class="actions">
  ${drawDeny(context, "approval.plan_no", "")}
  ${drawAllowButtons(context, [
    {
      id: "once",
      look: "primary",
      text: context.host.say("approval.plan_yes"),
      press: () => context.choose("once"),
    },
    { text: context.host.say("approval.plan_edits"), press: () => context.choose("once", "accept_edits") },
  ])}
</div>`;

const drawChanges = (
  context: ApprovalContext,
): Template => html`${drawBox(context, "note", context.draft.note, context.host.say("approval.plan_note"))}
  <div class="actions">
    ${drawButton({
      look: "primary",
      text: context.host.say("send"),
      off: isBusy(context),
      press: () => context.confirm(),
    })}
    ${drawBack(context)}
  </div>`;

/** Draw the choices, or the step that one of them opened. */
export function drawChoices(
  context: ApprovalContext,
  request: InputRequest,
  approval: ShownApproval,
): Template {
  const { step } = context;
  if (step === "changes") return drawChanges(context);
  if (step) return drawConfirmation(context, request, approval, step);
  return html`${!approval.plan && drawNote(context)} ${approval.plan ? drawPlanButtons(context) : drawScopes(context, approval)}`;
}
