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

interface Shorthand {
  $repeat?: [string, number];
  $repeat_list?: [unknown, number];
  $count_list?: [string, number];
}

/** The input with `{"$repeat": ["x", 3]}`, `{"$repeat_list": [item, 3]}` and `{"$count_list": ["x", 3]}` written out. */
export function expand<T>(node: T): T {
  if (Array.isArray(node)) return node.map(expand) as T;
  if (typeof node !== "object" || node === null) return node;
  const { $repeat, $repeat_list, $count_list } = node as Shorthand;
  if ($repeat) return $repeat[0].repeat($repeat[1]) as T;
  if ($repeat_list) return Array($repeat_list[1]).fill(expand($repeat_list[0])) as T;
  if ($count_list) return Array.from({ length: $count_list[1] }, (_, at) => `${$count_list[0]}${at}`) as T;
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, expand(value)])) as T;
}
