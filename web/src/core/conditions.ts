/** Decides by `visible_if` which fields are hidden; the server decides again. */

import { isProvided, type Values } from "./form.ts";
import type { Condition, Field, Form, Json } from "./generated/wire.ts";
import { own } from "./path.ts";

/** Whether a field is a box or a switch, which is off when nothing was said. */
export const isBox = (field: Field): boolean =>
  field.type === "checkbox" || (field.type === "boolean" && field.widget !== "confirm");

const is = (value: Json | undefined, wanted: Json | undefined): boolean =>
  Array.isArray(value) ? value.some((item) => item === wanted) : value === wanted;

/** Return the ids of the hidden fields for these values; a skipped or hidden field has none. */
export function hiddenFields(form: Form, values: Values, skipped: ReadonlySet<string>): ReadonlySet<string> {
  const hidden = new Set<string>();
  const seen = new Map<string, Json>();
  const given = new Set<string>();

  const holds = (condition: Condition): boolean => {
    const { field = "", provided, all, any } = condition;
    if (all) return all.every(holds);
    if (any) return any.some(holds);
    const value = seen.get(field ?? "");
    if (provided != null) return given.has(field ?? "") === provided;
    if (condition.is != null) return is(value, condition.is);
    if (condition.is_not != null) return !is(value, condition.is_not);
    return condition.in?.some((wanted) => is(value, wanted)) === true;
  };

  const entered = (field: Field): Json => {
    const { id, readonly } = field;
    if (readonly) return own(form.initial_values, id) ?? field.default ?? null;
    const value = own(values, id) ?? null;
    if (isBox(field)) return value === true;
    return !skipped.has(id) && isProvided(field, value) ? value : null;
  };

  const read = (fields: readonly Field[], shown: boolean): void => {
    for (const field of fields) {
      if (!shown || (field.visible_if && !holds(field.visible_if))) {
        hidden.add(field.id);
        continue;
      }
      const value = entered(field);
      seen.set(field.id, value);
      if (value !== null && !(value === false && isBox(field))) given.add(field.id);
    }
  };

  for (const { visible_if, fields } of form.sections ?? []) read(fields, !visible_if || holds(visible_if));
  read(form.fields ?? [], true);
  return hidden;
}
