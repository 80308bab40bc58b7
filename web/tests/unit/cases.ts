import { readFileSync } from "node:fs";

export interface ExpectedFault {
  path: string;
  code: string;
  en: string;
  de: string;
}

/** The cases of a file in vectors/, which Python runs as well. */
export function cases<T>(name: string): (T & { id: string; shows: string })[] {
  const text = readFileSync(new URL(`../../../vectors/${name}.json`, import.meta.url), "utf8");
  return JSON.parse(text).cases;
}

/** The input with `{"$repeat": ["x", 3]}` and `{"$repeat_list": [item, 3]}` written out. */
export function expand<T>(node: T): T {
  if (Array.isArray(node)) return node.map(expand) as T;
  if (typeof node !== "object" || node === null) return node;
  const { $repeat, $repeat_list } = node as { $repeat?: [string, number]; $repeat_list?: [unknown, number] };
  if ($repeat) return $repeat[0].repeat($repeat[1]) as T;
  if ($repeat_list) return Array($repeat_list[1]).fill(expand($repeat_list[0])) as T;
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, expand(value)])) as T;
}
