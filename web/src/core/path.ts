/** Extend `path`: an index as `[0]`, a name as `.name`, an odd name quoted as `["a b"]`. */
export function join(path: string, segment: string | number): string {
  if (typeof segment === "number") return `${path}[${segment}]`;
  if (!/^[A-Za-z0-9_-]+$/.test(segment)) return `${path}["${segment.replace(/[\\"]/g, "\\$&")}"]`;
  return path ? `${path}.${segment}` : segment;
}

/** The path of the value of a field; the id of a field of a row is the steps to it, one on each line. */
export const valuePath = (id: string): string => id.split("\n").reduce<string>(join, "values");

/** What `record` itself holds under `key`: a name such as `constructor` never finds the prototype's. */
export function ownValue<T>(record: Record<string, T> | null | undefined, key: string): T | undefined {
  return record && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Cut a text to `limit` characters, and mark the cut with "…". */
export function shorten(text: string, limit: number): string {
  const characters = [...text];
  return characters.length > limit ? `${characters.slice(0, limit).join("")}…` : text;
}

/** Whether `path` is `outer` or a place in it. */
export function isWithin(path: string, parentPath: string): boolean {
  return path === parentPath || path.startsWith(`${parentPath}.`) || path.startsWith(`${parentPath}[`);
}
