import type { SecretHelp, ShownSecret } from "../../core/generated/wire.ts";
import { nearestScope } from "../../core/secret.ts";
import { codePoints } from "../../core/text.ts";
import { isChecked } from "../fieldview.ts";
import { html, type Template } from "../html.ts";
import { icons } from "../icons.ts";
import { pathOf, type SecretContext, type Slot, uidOf } from "./context.ts";

/** The input of one name. */
interface SecretInput {
  readonly context: SecretContext;
  readonly name: string;
  readonly slot: Slot;
  readonly help: SecretHelp;
  readonly error: string | undefined;
  readonly disabled: boolean;
}

const hintOf = ({ description, format_hint }: SecretHelp): string =>
  [description, format_hint].filter(Boolean).join("\n");

function describedBy({ name, slot, help, error }: SecretInput): string | false {
  const uid = uidOf(name);
  const ids = [hintOf(help) && `${uid}-hint`, error && `${uid}-error`, slot.isPadded && `${uid}-padded`];
  return ids.filter(Boolean).join(" ") || false;
}

/** Only whether there is white space around it is kept of what was typed. */
function onInput({ context, name }: SecretInput, event: Event): void {
  const { value } = event.target as HTMLInputElement;
  const trimmedValue = value.trim();
  context.change(name, { isPadded: trimmedValue !== "" && trimmedValue !== value });
}

/** Fold what has several lines, but nothing may move while the pointer is down on something else. */
function onBlur({ context, name }: SecretInput, event: Event): void {
  const area = event.target as HTMLTextAreaElement;
  const foldLines = (): void => {
    const { value } = area;
    const lines = value.trimEnd().split("\n").length;
    if (lines > 1) context.change(name, { foldedSize: { lines, characters: codePoints(value) } });
  };
  if (document.querySelector(":active")) addEventListener("click", foldLines, { once: true });
  else foldLines();
}

function drawLine(input: SecretInput): Template {
  const { context, name, slot, help, error, disabled } = input;
  const isHidden = help.input !== "text";
  const show = (): void => {
    context.change(name, { isRevealed: !slot.isRevealed });
    context.host.focusOn(`#${uidOf(name)}`);
  };
  return html`<div class="value">
    <input
      id=${uidOf(name)}
      class="secret"
      part="input"
      type=${isHidden && !slot.isRevealed ? "password" : "text"}
      autocomplete=${isHidden ? "new-password" : "off"}
      autocapitalize="off"
      spellcheck="false"
      placeholder=${help.placeholder}
      aria-invalid=${!!error}
      aria-describedby=${describedBy(input)}
      disabled=${disabled}
      .oninput=${(event: Event) => onInput(input, event)}
    />${
      isHidden &&
      !disabled &&
      html`<button type="button" class="quiet" aria-pressed=${String(slot.isRevealed)} .onclick=${show}>${context.host.getText("secret.show")}<span class="hidden"> ${name}</span></button>`
    }
  </div>`;
}

function drawLines(input: SecretInput): Template {
  const { context, name, slot, help, error, disabled } = input;
  const { getText } = context.host;
  const open = (): void => {
    context.change(name, { foldedSize: null });
    context.host.focusOn(`#${uidOf(name)}`);
  };
  return html`<textarea
      id=${uidOf(name)}
      class="secret"
      part="input"
      rows="4"
      autocomplete="off"
      autocapitalize="off"
      spellcheck="false"
      placeholder=${help.placeholder}
      aria-invalid=${!!error}
      aria-describedby=${describedBy(input)}
      disabled=${disabled}
      hidden=${slot.foldedSize !== null}
      .oninput=${(event: Event) => onInput(input, event)}
      .onblur=${(event: Event) => onBlur(input, event)}
    ></textarea>
    ${
      slot.foldedSize &&
      html`<div class="value">
        <span>${getText("secret.folded", { ...slot.foldedSize })}</span>
        ${!disabled && html`<button type="button" class="quiet" id=${`${uidOf(name)}-open`} .onclick=${open}>${getText("secret.open")}<span class="hidden"> ${name}</span></button>`}
      </div>`
    }`;
}

/** One name: its label, what the agent says of it, and an input, or the choice of what is saved already. */
export function drawValue(
  context: SecretContext,
  secret: ShownSecret,
  name: string,
  disabled: boolean,
): Template {
  const { getText } = context.host;
  const uid = uidOf(name);
  const slot = context.slotOf(name);
  const help = secret.metadata?.[name] ?? {};
  const error = context.host.errorAt(pathOf(name));
  const input: SecretInput = { context, name, slot, help, error, disabled };
  const storedScope = nearestScope(secret, name);
  const hint = hintOf(help);
  const onSavedChange = (event: Event): void =>
    context.change(name, { isSaved: isChecked(event), foldedSize: null, isPadded: false });
  return html`<div class=${error ? "field wrong" : "field"} part="field">
    <label class="label" for=${slot.isSaved ? `${uid}-saved` : uid}><code>${name}</code>${help.optional && html` <span class="tag">${getText("optional")}</span>`}</label>
    ${hint && html`<div class="hint" id=${`${uid}-hint`}>${hint}</div>`}
    ${error && html`<p class="error" id=${`${uid}-error`}>${icons.warn} ${error}</p>`}
    ${
      storedScope &&
      html`<label class="option" part="option">
        <input
          id=${`${uid}-saved`}
          part="input"
          type="checkbox"
          aria-label=${`${name}: ${getText("secret.saved", { scope: getText(`secret.in_${storedScope}`) })}`}
          disabled=${disabled}
          .checked=${slot.isSaved}
          .onchange=${onSavedChange}
        />
        <span>${getText("secret.saved", { scope: getText(`secret.in_${storedScope}`) })}</span>
      </label>`
    }
    ${!slot.isSaved && (help.input === "textarea" ? drawLines(input) : drawLine(input))}
    ${slot.isPadded && html`<p class="padded" id=${`${uid}-padded`} role="status">${icons.warn} ${getText("secret.padded")}</p>`}
  </div>`;
}
