import type { Form, Option } from "./generated/bodies.ts";

/** The id of the field of a single question. */
export const FIELD_ID = "answer";
export const YES_LABEL = "Yes";
/** The most short choices that are shown as buttons; more are a list. */
const MAX_BUTTONS = 5;
const MAX_BUTTON_LENGTH = 30;

export interface QuestionOptions {
  /** The person may type another answer than the choices. */
  allow_other?: boolean | undefined;
  default?: string | undefined;
}

/** A form that asks for one of `choices`, or without any for a line of text. */
export function question(
  label: string,
  choices: readonly (string | Option)[] | undefined,
  { allow_other = false, default: preset }: QuestionOptions,
): Form {
  const shared = { id: FIELD_ID, label, required: true, default: preset };
  if (!choices) return { fields: [{ ...shared, type: "text" }] };
  const labels = choices.map((choice) => (typeof choice === "string" ? choice : choice.label));
  const isShort = labels.every(
    (labelText) => typeof labelText === "string" && labelText.length <= MAX_BUTTON_LENGTH,
  );
  const widget = isShort && !allow_other && choices.length <= MAX_BUTTONS ? "buttons" : undefined;
  return { fields: [{ ...shared, type: "select", options: [...choices], allow_other, widget }] };
}

/** A form that asks for Yes or No. */
export const confirmation = (label: string): Form => ({
  fields: [
    { type: "select", id: FIELD_ID, label, required: true, options: [YES_LABEL, "No"], widget: "confirm" },
  ],
});
