import type { Field, Form, Option } from "./wire.ts";

type Loose<T> = Omit<T, "options"> & { options?: (string | Partial<Option>)[] | undefined };

/** A form as the server sends it, from one that an agent wrote and that is known to be valid. */
export function normalForm(raw: unknown): Form {
  const form = raw as Form;
  const fields = form.fields && { fields: form.fields.map(normalField) };
  const sections = form.sections && {
    sections: form.sections.map((section) => ({ ...section, fields: section.fields.map(normalField) })),
  };
  return { ...form, ...fields, ...sections };
}

export function normalField(field: Field): Field {
  const { options, ...rest } = field as Loose<Field & { widget?: string }>;
  if (!options && rest.type !== "select") return field;
  const given = options?.length ? options : rest.widget === "confirm" ? ["Yes", "No"] : [];
  return { ...rest, options: given.map(normalOption) } as Field;
}

/** A plain string is its own value; so is the label of an option without one. */
export function normalOption(option: string | Partial<Option>): Option {
  if (typeof option === "string") return { value: option, label: option };
  const label = option.label ?? "";
  return { ...option, value: option.value ?? label, label };
}
