import type { InputRequest, ShownApproval } from "../../core/generated/wire.ts";
import { showInvisible } from "../../core/parts.ts";
import { typedText } from "../fieldview.ts";
import { html, type Template } from "../html.ts";
import { draw, icons } from "../icons.ts";
import { drawCall, drawRest, previewOf } from "./call.ts";
import { drawConfirmation } from "./confirmation.ts";
import { type ApprovalContext, type Button, drawBack, drawButton, isBusy } from "./context.ts";
import { isCommand } from "./draft.ts";
import { escapeText, renderEscapes } from "./escapes.ts";

const MORE_ICON = draw("M6 9l6 6 6-6");

/** Draw a text box with its error; `code` is always left to right. */
function drawBox(
  context: ApprovalContext,
  name: "note" | "edited_input",
  text: string,
  label: string,
  code = false,
): Template {
  const error = context.host.errorAt(name);
  const parts = code ? showInvisible(text) : [];
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
      .oninput=${(event: Event) => context.change({ [name]: typedText(event) })}
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
    context.host.getText(isCommand(approval) ? "approval.edit_command" : "approval.edit_json"),
    true,
  );

/** Draw the call, or its editor together with the parts that cannot be edited. */
export function drawEditable(context: ApprovalContext, approval: ShownApproval): Template {
  const { callDisplay, draft } = context;
  const preview = previewOf(approval);
  const text = draft.edited_input;
  if (text === null) return drawCall(preview, callDisplay);
  return html`${drawEditor(context, approval, text)} ${isCommand(approval) && drawRest(preview, callDisplay)}`;
}

/** The letter that presses a button, and the class that shows it. */
const SHORTCUTS: Record<string, string> = { once: "a", deny: "d", edit: "e", note_on: "n" };

type DrawButton = Omit<Button, "disabled" | "key"> & { disabled?: boolean };

/** Draw a button with its letter. */
const drawWithShortcut = (button: DrawButton): Template =>
  drawButton({ disabled: false, ...button, key: SHORTCUTS[button.id ?? ""] });

/** Whether this person can grant the folder: a call that reads, decided by one person. */
const mayGrant = ({ root, preview, quorum = 1 }: ShownApproval): boolean =>
  !!root && preview?.type !== "file" && quorum < 2;

const drawDeny = (context: ApprovalContext, key: string, variant: string): Template =>
  drawWithShortcut({
    id: "deny",
    variant,
    text: context.host.getText(key),
    disabled: isBusy(context) || (context.host.modal && !context.isReady),
    press: () => context.deny(),
  });

/** Draw what can be done besides deciding: change the input, and add a note. */
function drawTools(context: ApprovalContext, approval: ShownApproval): Template | false {
  const { draft, isNoting, host } = context;
  const { getText } = host;
  const disabled = isBusy(context);
  const isEdited = draft.edited_input !== null;
  return html`<div class="tools">
    ${
      approval.allow_edit &&
      drawWithShortcut({
        id: "edit",
        variant: "quiet more",
        text: getText(isEdited ? "approval.discard" : "approval.edit"),
        disabled,
        press: () => context.edit(!isEdited),
      })
    }
    ${
      !isNoting &&
      drawWithShortcut({
        id: "note_on",
        variant: "quiet more",
        text: getText("approval.note"),
        disabled,
        press: () => context.addNote(),
      })
    }
  </div>`;
}

/** The further ways to allow or deny, from the widest to the narrowest. */
function otherScopesOf(context: ApprovalContext, approval: ShownApproval): DrawButton[] {
  const { getText } = context.host;
  if (context.draft.edited_input !== null) return [];
  const { scopes = [], choices, root } = approval;
  const widerScopes = scopes.filter((scope) => scope !== "once").toReversed();
  const draws: DrawButton[] = widerScopes.map((scope) => ({
    id: scope,
    text: getText(`approval.${scope}`),
    press: () => context.choose(scope),
  }));
  if (scopes.includes("always") && choices?.length)
    draws.unshift({
      id: "never",
      variant: "quiet",
      text: getText("approval.never"),
      press: () => context.ask("never"),
    });
  if (mayGrant(approval))
    draws.push({
      id: "root",
      text: html`<span>${escapeText(getText("approval.root", { folder: root ?? "" }))}</span>`,
      press: () => context.ask("root"),
    });
  return draws;
}

function drawDecision(
  context: ApprovalContext,
  deny: Template,
  otherButtons: readonly DrawButton[],
  onceButton: DrawButton,
): Template {
  const { getText } = context.host;
  const disabled = isBusy(context) || !context.isReady;
  const { more } = context;
  return html`<div class="bar" role="group" aria-label=${getText("approval.decide")}>
    ${deny}
    ${
      otherButtons.length > 0 &&
      drawButton({
        id: "more",
        variant: "quiet",
        text: html`<span class="words">${getText("approval.more")}</span>${MORE_ICON}`,
        disabled: false,
        open: more,
        press: () => context.toggleMore(),
      })
    }
    ${otherButtons.length > 0 && more && html`<div class="further">${otherButtons.map((button) => drawButton({ ...button, disabled }))}</div>`}
    ${drawWithShortcut({ ...onceButton, id: "once", disabled })}
  </div>`;
}

/** Draw the choices; while lines of the call are hidden, the only one besides Deny shows them. */
function drawScopes(context: ApprovalContext, approval: ShownApproval): Template {
  const { host, isHiding } = context;
  return drawDecision(
    context,
    drawDeny(context, "approval.deny", "danger"),
    isHiding ? [] : otherScopesOf(context, approval),
    {
      variant: approval.risk?.level !== "danger" && "primary",
      text: host.getText(isHiding ? "approval.show_all" : "approval.once"),
      press: () => context.choose("once"),
    },
  );
}

function drawPlanButtons(context: ApprovalContext): Template {
  const { getText } = context.host;
  const edits = { text: getText("approval.plan_edits"), press: () => context.choose("once", "accept_edits") };
  return drawDecision(context, drawDeny(context, "approval.plan_no", ""), [edits], {
    variant: "primary",
    text: getText("approval.plan_yes"),
    press: () => context.choose("once"),
  });
}

const drawChanges = (
  context: ApprovalContext,
): Template => html`${drawBox(context, "note", context.draft.note, context.host.getText("approval.plan_note"))}
  <div class="bar">
    ${drawBack(context)}
    ${drawButton({
      variant: "primary",
      text: context.host.getText("send"),
      disabled: isBusy(context),
      press: () => context.confirm(),
    })}
  </div>`;

/** Draw the choices, or the step that one of them opened. */
export function drawChoices(
  context: ApprovalContext,
  request: InputRequest,
  approval: ShownApproval,
): Template {
  const { step, isNoting, draft, host } = context;
  if (step === "changes") return drawChanges(context);
  if (step) return drawConfirmation(context, request, approval, step);
  if (approval.plan) return drawPlanButtons(context);
  return html`${isNoting && drawBox(context, "note", draft.note, host.getText("approval.note_label"))}
    ${drawTools(context, approval)} ${drawScopes(context, approval)}`;
}
