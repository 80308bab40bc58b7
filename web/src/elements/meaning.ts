/** What a choice says, so that nobody answers another question than the one that was read. */

import { sectionsOf } from "../core/form.ts";
import type { Field, Form, Option } from "../core/generated/wire.ts";
import type { Entry } from "./entries.ts";

/** The option of a field with this value; those of a source are the server's, and only in the form once found. */
export const optionOf = (field: Field, value: unknown): Option | undefined =>
  "options" in field && !field.options_from
    ? field.options.find((option) => option.value === value)
    : undefined;

/** The words around a choice, and those of the chosen option: if they differ, the choice says something else. */
function meaningOf(form: Form, field: Field, value?: unknown): string {
  const { title, description, submit_label } = form;
  const section = sectionsOf(form).find(({ fields }) => fields.some(({ id }) => id === field.id));
  const { label, description: hint, about, options_from } = field as Field & Record<string, unknown>;
  const option = optionOf(field, value);
  const words = [title, description, submit_label, section?.title, section?.description, label, hint];
  return JSON.stringify([words, about, options_from, value, option?.label, option?.description]);
}

/** What each choice in a field says. */
export const meaningsOf = (form: Form, field: Field, { chosen, on }: Entry): string[] => [
  ...chosen.map((value) => meaningOf(form, field, value)),
  ...(on ? [meaningOf(form, field)] : []),
];

/** Return an entry without the choices that say something else than `meanings`; typed text stays. */
export const withSameMeaning = (
  form: Form,
  field: Field,
  entry: Entry,
  meanings: readonly unknown[],
): Entry => ({
  ...entry,
  chosen: entry.chosen.filter((value) => meanings.includes(meaningOf(form, field, value))),
  on: entry.on && meanings.includes(meaningOf(form, field)),
});
