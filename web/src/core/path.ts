import { field_id as KEY_LIMIT } from "./generated/limits.json";

/** Extend `path`: an index as `[0]`, a name as `.name`, an odd name quoted as `["a b"]`. */
export function join(path: string, step: string | number): string {
  if (typeof step === "number") return `${path}[${step}]`;
  if (!/^[A-Za-z0-9_-]+$/.test(step)) return `${path}["${step.replace(/[\\"]/g, "\\$&")}"]`;
  return path ? `${path}.${step}` : step;
}

/** What `record` itself holds under `key`: a name such as `constructor` never finds the prototype's. */
export function own<T>(record: Record<string, T> | null | undefined, key: string): T | undefined {
  return record && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** A key that the other side made up, cut to a length that a path can carry. */
export function shorten(key: string): string {
  const points = [...key];
  return points.length > KEY_LIMIT ? `${points.slice(0, KEY_LIMIT).join("")}…` : key;
}

/** Whether `path` is `outer` or a place in it. */
export function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`);
}
