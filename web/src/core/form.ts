/** The fields of a form, as docs/reference/forms.md describes them. */

import type { Values } from "./json.ts";

export interface Option {
  value: string;
  label: string;
  description?: string | null;
  recommended?: boolean;
  style?: "default" | "primary" | "danger" | null;
}

interface FieldBase {
  id: string;
  label: string;
  description?: string | null;
  required?: boolean;
  placeholder?: string | null;
  validate_on_client?: boolean;
  /** Kept where nobody reads it: typed into a field that hides it, and never shown again. */
  sensitive?: boolean;
}

export interface TextField extends FieldBase {
  type: "text" | "textarea";
  min_length?: number | null;
  max_length?: number | null;
  pattern?: string | null;
  pattern_message?: string | null;
  default?: string | null;
}

export interface NumberField extends FieldBase {
  type: "number";
  min?: number | null;
  max?: number | null;
  step?: number | null;
  default?: number | null;
}

export interface BooleanField extends FieldBase {
  type: "boolean" | "checkbox";
  widget?: "switch" | "checkbox" | "confirm" | null;
  default?: boolean | null;
}

export interface SingleField extends FieldBase {
  type: "select" | "radio";
  options: Option[];
  allow_other?: boolean;
  widget?: "dropdown" | "buttons" | "confirm" | "chips" | null;
  default?: string | null;
}

export interface MultiField extends FieldBase {
  type: "multiselect";
  options: Option[];
  allow_other?: boolean;
  min_choices?: number | null;
  max_choices?: number | null;
  widget?: "checkboxes" | "chips" | "dropdown" | null;
  default?: string[] | null;
}

export interface MomentField extends FieldBase {
  type: "date" | "time" | "datetime";
  min?: string | null;
  max?: string | null;
  default?: string | null;
}

export type ChoiceField = SingleField | MultiField;
export type Field = TextField | NumberField | BooleanField | SingleField | MultiField | MomentField;

export interface Section {
  id: string;
  title?: string | null;
  description?: string | null;
  optional?: boolean;
  submit_label?: string | null;
  fields: Field[];
}

export interface Form {
  title?: string | null;
  description?: string | null;
  submit_label?: string | null;
  cancel_label?: string | null;
  allow_skip?: boolean;
  locale?: string | null;
  fields?: Field[] | null;
  sections?: Section[] | null;
  initial_values?: Values | null;
  completed_view?: { show_inputs?: boolean; summary_template?: string | null } | null;
}

/** The sections of a form; one without sections has a single section. */
export const sectionsOf = (form: Form): readonly Pick<Section, "title" | "optional" | "fields">[] =>
  form.sections ?? [{ fields: form.fields ?? [] }];

/** All fields of a form in the order shown, those of sections included. */
export const allFields = (form: Form): Field[] => sectionsOf(form).flatMap(({ fields }) => fields);
