/** What a person types into the conversation, as the answer to a form: only where it can mean nothing else. */

import type { Form, Option, Values } from "./wire.ts";
import { allFields } from "./wire.ts";

/** The values that a text stands for, which have yet to be checked; or why it stands for none. */
export type Meant =
  | { values: Values }
  | { why: "several_fields" | "not_for_text" | "not_an_option" | "ambiguous" };

/**
 * Read a text as the answer to a form of one field: a free text, or an option by its value or its label.
 *
 * Upper and lower case do not matter where they tell no two options apart. The server reads it anew, and decides.
 */
export function readText(form: Form, text: string): Meant {
  const [field, ...more] = allFields(form);
  const said = text.trim();
  if (!field || more.length > 0) return { why: "several_fields" };
  if (field.sensitive) return { why: "not_for_text" };
  if (field.type === "text" || field.type === "textarea") return { values: { [field.id]: said } };
  if (!("options" in field)) return { why: "not_for_text" };
  const exact = matching(field.options, said, (each) => each);
  const [found, ...others] =
    exact.length > 0 ? exact : matching(field.options, said, (each) => each.toLowerCase());
  if (found === undefined || others.length > 0)
    return { why: found === undefined ? "not_an_option" : "ambiguous" };
  return { values: { [field.id]: field.type === "multiselect" ? [found] : found } };
}

const matching = (options: readonly Option[], said: string, spelt: (text: string) => string): string[] =>
  options
    .filter(({ value, label }) => [value, label].some((name) => spelt(name) === spelt(said)))
    .map(({ value }) => value);
