/** The check of the body of `POST /v1/requests`: a form, and where and for how long it is asked. */

import { fault } from "./fault.ts";
import { complete, type FormRules, formMeaning, type Limits, MOST_FAULTS } from "./form.ts";
import { join, own } from "./path.ts";
import { askStructure, isObject, type Obj, sound } from "./schema.ts";
import { utf8Bytes } from "./text.ts";
import { textFault, textFaults } from "./textrules.ts";
import type { Fault } from "./wire.ts";

/** Every fault of the body of `POST /v1/requests`. */
export function checkAsk(raw: unknown, rules: Partial<FormRules> = {}): Fault[] {
  const structure = askStructure(raw);
  if (!isObject(raw)) return structure;
  const { limits, ...others } = complete(rules);
  const faults = formMeaning(own(raw, "form"), "form", structure, { limits, ...others });
  return [...faults, ...askMeaning(raw, structure, limits)].slice(0, MOST_FAULTS);
}

function assigneeFaults(given: unknown, limits: Limits): Fault[] {
  if (!Array.isArray(given)) return [];
  const max = limits.assignees;
  const names: unknown[] = given.slice(0, max);
  const each = names.flatMap((name, at) => {
    const path = join("assignees", at);
    const known = names.indexOf(name) < at ? [fault(path, "duplicate_value")] : [];
    const rule = { max: limits.identifier, filled: true };
    return [...(typeof name === "string" ? textFault(path, name, rule) : []), ...known];
  });
  return [
    ...(given.length === 0 ? [fault("assignees", "too_few", { min: 1 })] : []),
    ...(given.length > max ? [fault("assignees", "too_many", { max })] : []),
    ...each,
  ];
}

function askMeaning(ask: Obj, structure: Fault[], limits: Limits): Fault[] {
  const id = { max: limits.identifier, filled: true };
  const kept = sound(ask, "", structure);
  const texts = textFaults("", kept, { thread_id: id, run_id: id, message_id: id, tool_call_id: id });
  const agent = typeof kept.agent === "string" ? { name: kept.agent } : (kept.agent ?? {});
  const agents = textFaults("agent", agent, { name: id, tool: id });
  const { min_timeout_s: min, max_timeout_s: max } = limits;
  const timeout = kept.timeout_s;
  const late = typeof timeout === "number" && (timeout < min || timeout > max);
  const bytes = utf8Bytes(JSON.stringify(ask));
  return [
    ...texts,
    ...agents,
    ...assigneeFaults(kept.assignees, limits),
    ...(late ? [fault("timeout_s", "out_of_range", { min, max })] : []),
    ...(bytes > limits.request_bytes ? [fault("", "too_long.request", { max: limits.request_bytes })] : []),
  ];
}
