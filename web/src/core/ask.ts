/** The check of the body of `POST /v1/requests`: a form, and where and for how long it is asked. */

import { checkAnswer } from "./answer.ts";
import { fault } from "./fault.ts";
import { complete, type FormRules, formMeaning, type Limits, MOST_FAULTS } from "./form.ts";
import { normalForm } from "./normal.ts";
import { join, own } from "./path.ts";
import { askStructure, isObject, type Obj, sound } from "./schema.ts";
import { utf8Bytes } from "./text.ts";
import { textFault, textFaults } from "./textrules.ts";
import { allFields, type Fault, type Json } from "./wire.ts";

/** Every fault of the body of `POST /v1/requests`. */
export function checkAsk(raw: unknown, rules: Partial<FormRules> = {}): Fault[] {
  const structure = askStructure(raw);
  if (!isObject(raw)) return structure;
  const { limits, ...others } = complete(rules);
  const faults = formMeaning(own(raw, "form"), "form", structure, { limits, ...others });
  const asked = [...faults, ...askMeaning(raw, structure, limits)];
  const sounds = asked.length === 0 && structure.length === 0;
  return [...asked, ...endFaults(raw, sounds)].slice(0, MOST_FAULTS);
}

/** What is wrong with the people of a list, of whom there may be none. */
function peopleFaults(path: string, given: unknown, limits: Limits): Fault[] {
  if (!Array.isArray(given)) return [];
  const max = limits.assignees;
  const names: unknown[] = given.slice(0, max);
  const each = names.flatMap((name, index) => {
    const at = join(path, index);
    const known = names.indexOf(name) < index ? [fault(at, "duplicate_value")] : [];
    const rule = { max: limits.identifier, filled: true };
    return [...(typeof name === "string" ? textFault(at, name, rule) : []), ...known];
  });
  return [...(given.length > max ? [fault(path, "too_many", { max })] : []), ...each];
}

function assigneeFaults(given: unknown, limits: Limits): Fault[] {
  const nobody = Array.isArray(given) && given.length === 0;
  const none = nobody ? [fault("assignees", "too_few", { min: 1 })] : [];
  return [...none, ...peopleFaults("assignees", given, limits)];
}

/** Each step of an escalation comes after the one before and does something. */
function escalationFaults(given: unknown, limits: Limits): Fault[] {
  if (!Array.isArray(given)) return [];
  const { escalation: most, min_timeout_s: min, max_timeout_s: max } = limits;
  let before = 0;
  const steps = given.slice(0, most).flatMap((raw: unknown, index): Fault[] => {
    if (!isObject(raw)) return [];
    const at = join("escalation", index);
    const { after_s: after, notify = [], assign = [] } = raw;
    const when = join(at, "after_s");
    const early = typeof after === "number" && after <= before;
    const wrong = typeof after === "number" && (after < min || after > max);
    if (typeof after === "number") before = Math.max(before, after);
    const idle = [notify, assign].every((people) => Array.isArray(people) && people.length === 0);
    return [
      ...(wrong ? [fault(when, "out_of_range.needed", { min, max })] : []),
      ...(early && !wrong ? [fault(when, "not_after_the_one_before")] : []),
      ...(idle ? [fault(at, "step_without_effect")] : []),
      ...peopleFaults(join(at, "notify"), notify, limits),
      ...peopleFaults(join(at, "assign"), assign, limits),
    ];
  });
  return [...(given.length > most ? [fault("escalation", "too_many", { max: most })] : []), ...steps];
}

/** What the ways to end do not fit: a default that there is not, a check of what nobody may see. */
function endFaults(ask: Obj, sounds: boolean): Fault[] {
  if (!sounds) return [];
  const form = normalForm(own(ask, "form"));
  const fields = allFields(form);
  const secret = ask.validator && fields.some(({ sensitive }) => sensitive);
  if (secret) return [fault("validator", "validator_with_sensitive")];
  if (ask.on_timeout !== "default") return [];
  const given = fields.map(({ id, default: value }) => [id, own(form.initial_values, id) ?? value]);
  const values = Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== null));
  const answer = checkAnswer(form, values as Record<string, Json>);
  return "faults" in answer || Object.keys(answer.values).length === 0
    ? [fault("on_timeout", "no_default")]
    : [];
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
    ...escalationFaults(kept.escalation, limits),
    ...(late ? [fault("timeout_s", "out_of_range", { min, max })] : []),
    ...(bytes > limits.request_bytes ? [fault("", "too_long.request", { max: limits.request_bytes })] : []),
  ];
}
