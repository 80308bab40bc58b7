/** Reads a message of the conversation as the answer to a form, where it can mean nothing else. */

import { allFields, type OptionValue, type Values } from "./form.ts";
import type { Form, Option } from "./generated/wire.ts";
import type { LocalText } from "./texts.ts";

/** The values of a reply, not yet checked, or why it has none. */
type ParsedReply =
  | { values: Values }
  | { why: "several_fields" | "not_for_text" | "not_an_option" | "ambiguous" };

/**
 * Read a text as the answer to a form of one field: a free text, or an option by its value or its label.
 *
 * A label may be in any of its languages. Case is ignored unless it tells two options apart. The server reads the text again and decides.
 */
export function parseReply(form: Form, text: string): ParsedReply {
  const [field, ...otherFields] = allFields(form);
  const reply = text.trim();
  if (!field || otherFields.length > 0) return { why: "several_fields" };
  if (field.sensitive) return { why: "not_for_text" };
  if (field.type === "text" || field.type === "textarea") return { values: { [field.id]: reply } };
  if (!("options" in field)) return { why: "not_for_text" };
  const exactOption = matchingOption(field.options, reply, (item) => item);
  const [matchedOption, ...others] =
    exactOption.length > 0 ? exactOption : matchingOption(field.options, reply, (item) => item.toLowerCase());
  if (matchedOption === undefined || others.length > 0)
    return { why: matchedOption === undefined ? "not_an_option" : "ambiguous" };
  return { values: { [field.id]: field.type === "multiselect" ? [matchedOption] : matchedOption } };
}

/** A label as the server sends it may be in several languages. */
const spellingsOf = (label: LocalText): string[] =>
  typeof label === "string" ? [label] : Object.values(label);

const matchingOption = (
  options: readonly Option[],
  reply: string,
  normalize: (text: string) => string,
): OptionValue[] =>
  options
    .filter(({ value, label }) =>
      [String(value), ...spellingsOf(label)].some((name) => normalize(name) === normalize(reply)),
    )
    .map(({ value }) => value);
