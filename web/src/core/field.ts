/** The check of one value that anybody may have written, against its field. */

import { options as CHOICES_LIMIT } from "./generated/limits.json";
import { hasLoneSurrogate } from "./text.ts";
import {
  checkEntered,
  choiceReason,
  countReason,
  type Found,
  found,
  isOption,
  type Matches,
  type Reason,
} from "./values.ts";
import type { ChoiceField, Field, Json, MomentField, MultiField } from "./wire.ts";

/** What is wrong with a date, time or moment, if anything. */
export type MomentCheck = (field: MomentField, value: string) => Reason | null;

/** What a check needs of its surroundings; without `moment` dates are left to whoever made them. */
export interface Engines {
  matches: Matches;
  moment?: MomentCheck | undefined;
}

const TYPES = {
  text: ["string", "wrong_type.answer_text"],
  textarea: ["string", "wrong_type.answer_text"],
  number: ["number", "wrong_type.answer_number"],
  boolean: ["boolean", "wrong_type.answer_boolean"],
  checkbox: ["boolean", "wrong_type.answer_boolean"],
  select: ["string", "wrong_type.answer_option"],
  radio: ["string", "wrong_type.answer_option"],
  date: ["string", "wrong_type.answer_moment"],
  time: ["string", "wrong_type.answer_moment"],
  datetime: ["string", "wrong_type.answer_moment"],
} as const;

/** What is wrong with a value that was provided. */
export function checkValue(field: Field, value: Json, { matches, moment }: Engines): readonly Found[] {
  if (field.type === "multiselect") return checkMulti(field, value);
  const [type, key] = TYPES[field.type];
  if (typeof value !== type) return found([key]);
  switch (field.type) {
    case "select":
    case "radio":
      return found(memberReason(field, value as string));
    case "date":
    case "time":
    case "datetime":
      return found(moment?.(field, value as string) ?? null);
    default:
      return typeof value === "string" && hasLoneSurrogate(value)
        ? found(["lone_surrogate"])
        : checkEntered(field, tidy(field, value), matches);
  }
}

/** A value as it is kept: line ends as `\n`, no negative zero, options in their own order before what was typed. */
export function tidy(field: Field, value: Json): Json {
  if (field.type === "textarea" && typeof value === "string") return value.replaceAll("\r\n", "\n");
  if (field.type !== "multiselect" || !Array.isArray(value)) return value === 0 ? 0 : value;
  const chosen = field.options.map((option) => option.value).filter((option) => value.includes(option));
  return [...chosen, ...value.filter((item) => !isOption(field, item))];
}

/** Whether something of it was typed instead of chosen. */
export const isTyped = (field: Field, value: Json): boolean =>
  "options" in field && [value].flat().some((item) => !isOption(field, item));

function memberReason(field: ChoiceField, value: string): Reason | null {
  if (isOption(field, value)) return null;
  if (field.allow_other) return hasLoneSurrogate(value) ? ["lone_surrogate"] : choiceReason(field, value);
  return [field.type === "multiselect" ? "value_not_in_options.item" : "value_not_in_options"];
}

function checkMulti(field: MultiField, value: Json): readonly Found[] {
  if (!Array.isArray(value)) return found(["wrong_type.answer_options"]);
  if (value.length > CHOICES_LIMIT)
    return found(["too_many.choices", { max: field.max_choices ?? CHOICES_LIMIT }]);
  const items = value.map((item, at) => itemReason(field, item, value.indexOf(item) < at));
  return [...found(countReason(field, value.length)), ...items.flatMap((reason, at) => found(reason, at))];
}

function itemReason(field: MultiField, item: Json, repeated: boolean): Reason | null {
  if (typeof item !== "string") return ["wrong_type.answer_item"];
  return repeated ? ["duplicate_selection"] : memberReason(field, item);
}
