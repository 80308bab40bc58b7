/** Decides by `visible_if` which fields are hidden; the server decides again. */

import { isBox, isProvided, type Values } from "./form.ts";
import type { Condition, Field, Form, Json } from "./generated/wire.ts";
import { ownValue } from "./path.ts";

const matches = (value: Json | undefined, expected: Json | undefined): boolean =>
  Array.isArray(value) ? value.some((item) => item === expected) : value === expected;

/** Return the ids of the hidden fields for these values; a skipped or hidden field has none. */
export function hiddenFieldIds(
  form: Form,
  values: Values,
  skippedIds: ReadonlySet<string>,
): ReadonlySet<string> {
  const hiddenIds = new Set<string>();
  const valueById = new Map<string, Json>();
  const providedIds = new Set<string>();

  const holds = (condition: Condition): boolean => {
    const { field = "", provided, all, any } = condition;
    if (all) return all.every(holds);
    if (any) return any.some(holds);
    const value = valueById.get(field ?? "");
    if (provided != null) return providedIds.has(field ?? "") === provided;
    if (condition.is != null) return matches(value, condition.is);
    if (condition.is_not != null) return !matches(value, condition.is_not);
    return condition.in?.some((expected) => matches(value, expected)) === true;
  };

  const enteredValue = (field: Field): Json => {
    const { id, readonly } = field;
    if (readonly) return ownValue(form.initial_values, id) ?? field.default ?? null;
    const value = ownValue(values, id) ?? null;
    if (isBox(field)) return value === true;
    return !skippedIds.has(id) && isProvided(field, value) ? value : null;
  };

  const readFields = (fields: readonly Field[], isVisible: boolean): void => {
    for (const field of fields) {
      if (!isVisible || (field.visible_if && !holds(field.visible_if))) {
        hiddenIds.add(field.id);
        continue;
      }
      const value = enteredValue(field);
      valueById.set(field.id, value);
      if (value !== null && !(value === false && isBox(field))) providedIds.add(field.id);
    }
  };

  for (const { visible_if, fields } of form.sections ?? [])
    readFields(fields, !visible_if || holds(visible_if));
  readFields(form.fields ?? [], true);
  return hiddenIds;
}
