/** The rules of the texts that an agent writes for a person to read. */

import { fault } from "./fault.ts";
import { join, own } from "./path.ts";
import { codePoints, isBlank } from "./text.ts";
import type { Fault } from "./wire.ts";

export interface TextRule {
  /** The most code points. */
  max?: number;
  /** It must not be blank. */
  filled?: boolean;
  /** It may have several lines. */
  lines?: boolean;
  /** It is no prose (a pattern): any character is fine. */
  raw?: boolean;
}

/**
 * What could make a label read as something else than it is: control characters, line and
 * paragraph separators, changes of direction, invisible characters, noncharacters.
 */
const UNSEEN = /[\p{Cc}\p{NChar}\u2028\u2029\u202A-\u202E\u2066-\u2069\u200B\u2060-\u2064\uFEFF]/u;

/** The one fault of a text, if it has any: empty, else too long, else with characters that have no business there. */
export function textFault(path: string, text: string, rule: TextRule): Fault[] {
  if (rule.filled && isBlank(text)) return [fault(path, "empty")];
  if (rule.max !== undefined && codePoints(text) > rule.max)
    return [fault(path, "too_long", { max: rule.max })];
  if (rule.raw) return [];
  return UNSEEN.test(rule.lines ? text.replace(/[\n\r\t]/g, "") : text) ? [fault(path, "control_chars")] : [];
}

/** The faults of those texts that `owner` has; what is no text is another check's business. */
export function textFaults(path: string, owner: object, rules: Record<string, TextRule>): Fault[] {
  return Object.entries(rules).flatMap(([key, rule]) => {
    const text = own(owner as Record<string, unknown>, key);
    return typeof text === "string" ? textFault(join(path, key), text, rule) : [];
  });
}
