/** The rules of a field's options. */

import { fault } from "./fault.ts";
import type { Limits } from "./form.ts";
import { normalOption } from "./normal.ts";
import { join } from "./path.ts";
import { textFault, textFaults } from "./textrules.ts";
import type { Fault, Option } from "./wire.ts";

type Raw = string | Partial<Option>;

/** Every fault of a list of options that stands at `path`. */
export function optionFaults(options: readonly Raw[], path: string, limits: Limits): Fault[] {
  if (options.length > limits.options) return [fault(path, "too_many", { max: limits.options })];
  const values = new Set<string>();
  const labels = new Set<string>();
  return options.flatMap((raw, index) => {
    const { value, label } = normalOption(raw);
    const at = join(path, index);
    const places = placesOf(raw, at);
    const faults = [
      ...optionTexts(raw, at, limits),
      ...repeats(values.has(value), labels.has(label), places),
    ];
    values.add(value);
    labels.add(label);
    return faults;
  });
}

/** Where the value and the label of an option are written. */
function placesOf(raw: Raw, at: string): { value: string; label: string } {
  if (typeof raw === "string") return { value: at, label: at };
  const label = join(at, "label");
  return { value: raw.value === undefined ? label : join(at, "value"), label };
}

function repeats(value: boolean, label: boolean, places: { value: string; label: string }): Fault[] {
  const paths = [...(value ? [places.value] : []), ...(label ? [places.label] : [])];
  return [...new Set(paths)].map((path) => fault(path, "duplicate_option"));
}

function optionTexts(raw: Raw, at: string, limits: Limits): Fault[] {
  if (typeof raw === "string") return textFault(at, raw, { max: limits.option_label, filled: true });
  return textFaults(at, raw, {
    value: { max: limits.option_value, filled: true },
    label: { max: limits.option_label, filled: true },
    description: { max: limits.option_description, lines: true },
  });
}
