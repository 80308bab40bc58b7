import texts from "../../../../src/askback/messages/en.json?shape&texts" with { type: "json" };
import { allFields, nameOf, type Values } from "../../core/form.ts";
import type { Field, Form, Json } from "../../core/generated/wire.ts";
import { addTexts } from "../../core/messages.ts";
import { ownValue } from "../../core/path.ts";
import { findSecret, withoutSecrets } from "../../core/secretshapes.ts";
import type { AskbackElement } from "../element.ts";
import type { FormHost } from "../form.ts";
import { html, type Template } from "../html.ts";
import { onDemand } from "../ondemand.ts";
import type { GetText } from "../text.ts";
import { dangerousChoices } from "./danger.ts";
import { warningStyles } from "./warning.css.ts";

addTexts(texts);

/** Return the texts that the person typed, without the values of options. */
const writtenTexts = (field: Field, value: Json | undefined): string[] =>
  [value ?? []]
    .flat()
    .filter((item) => typeof item === "string")
    .filter((item) => !("options" in field && field.options.some((option) => option.value === item)));

/** Return one question for each field that is not sensitive and looks like a secret; it never repeats the value. */
const secretQuestions = (definition: Form, values: Values, getText: GetText): string[] =>
  allFields(definition)
    .filter(({ sensitive }) => !sensitive)
    .flatMap((field) => {
      const shape = writtenTexts(field, ownValue(values, field.id)).map(findSecret).find(Boolean);
      return shape
        ? [getText("shape.sure", { label: nameOf(definition, field), kind: getText(`shape.${shape.kind}`) })]
        : [];
    });

/** Return the questions before a form is sent, about dangerous options and about what looks like a secret. */
export function questionsBefore(host: FormHost, form: Form, values: Values): string[] {
  const { open, draft, getText } = host;
  const dangerQuestions = dangerousChoices(open, draft).map((label) => getText("sure", { label }));
  return [...dangerQuestions, ...secretQuestions(form, values, getText)];
}

export const drawConfirmation = (
  host: FormHost,
): Template => html`<div class="sure" role="group" aria-labelledby="sure">
    <div id="sure">${host.asking.map((question) => html`<p><strong>${question}</strong></p>`)}</div>
    <div class="actions">
      <button type="button" id="back" .onclick=${() => host.confirm(false)}>${host.getText("sure_no")}</button>
      <button type="button" class="danger primary" .onclick=${() => host.confirm(true)}>${host.getText("sure_yes")}</button>
    </div>
  </div>`;

/** Return what draws a question about a text; a button removes the secret from the box, so that the person can check the rest. */
export function askAboutText(
  host: AskbackElement,
  typedText: string,
  send: () => void,
): (() => Template) | undefined {
  const { root } = host;
  const shape = findSecret(typedText);
  if (!shape) return;
  if (!root.adoptedStyleSheets.includes(warningStyles)) root.adoptedStyleSheets.push(warningStyles);
  const leaveOut = (): void => {
    const box = [...root.querySelectorAll("textarea")].find(({ value }) => value.includes(typedText));
    if (!box) return;
    box.value = withoutSecrets(box.value);
    box.dispatchEvent(new Event("input"));
    box.focus();
  };
  return () => html`<div class="doubt" role="group" aria-labelledby="doubt">
    <p id="doubt">${host.getText("shape.said", { kind: host.getText(`shape.${shape.kind}`) })}</p>
    <div>
      <button type="button" id="leave" .onclick=${leaveOut}>${host.getText("shape.leave")}</button>
      <button type="button" class="quiet" .onclick=${send}>${host.getText("shape.anyway")}</button>
    </div>
  </div>`;
}

Object.assign(onDemand, { askAboutText, drawConfirmation, questionsBefore });

/** The kind of a request stays as it is. */
export const mixins = { shape: <T>(Inner: T): T => Inner };
