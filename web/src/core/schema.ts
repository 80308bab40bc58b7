/**
 * The structure of a request, by the JSON Schema that the server's models generate.
 *
 * A walker for just what that schema uses; its faults have the codes of the server's. A value
 * that is neither object nor text where either may be is one fault, a field of unknown type too.
 */

import { fault } from "./fault.ts";
import schema from "./generated/schema.json" with { type: "json" };
import { isWithin, join, own, shorten } from "./path.ts";
import { hasLoneSurrogate } from "./text.ts";
import type { Fault } from "./wire.ts";

export type Obj = Record<string, unknown>;

interface Node {
  $ref?: string;
  anyOf?: Node[];
  oneOf?: Node[];
  type?: string;
  const?: string;
  enum?: string[];
  items?: Node;
  properties?: Record<string, Node>;
  required?: string[];
  additionalProperties?: boolean | Node;
}

const DEFINITIONS: Record<string, Node> = schema.$defs;
const ASK: Node = schema;

/** Faults of structure of an ask, with the paths of the body. */
export function askStructure(raw: unknown): Fault[] {
  return walk(ASK, raw, "");
}

/** Faults of structure of a form that stands at `path`. */
export function formStructure(raw: unknown, path: string): Fault[] {
  return walk({ $ref: "#/$defs/Form" }, raw, path);
}

export function isObject(value: unknown): value is Obj {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What of an object's own keys has the right structure. */
export function sound(owner: Obj, path: string, structure: Fault[]): Obj {
  const isClean = (key: string) => !structure.some((found) => isWithin(found.path, join(path, key)));
  return Object.fromEntries(Object.entries(owner).filter(([key]) => isClean(key)));
}

function resolve(node: Node): Node {
  const name = node.$ref?.replace("#/$defs/", "");
  return name === undefined ? node : (DEFINITIONS[name] ?? {});
}

function walk(node: Node, value: unknown, path: string): Fault[] {
  if (node.$ref) return walk(resolve(node), value, path);
  if (node.anyOf) return walkUnion(node.anyOf, value, path);
  if (node.oneOf) return walkField(node.oneOf.map(resolve), value, path);
  if (node.const !== undefined) return walkWord([node.const], value, path);
  if (node.enum) return walkWord(node.enum, value, path);
  return walkType(node, value, path);
}

function walkUnion(variants: Node[], value: unknown, path: string): Fault[] {
  if (value === null && variants.some((variant) => variant.type === "null")) return [];
  const [first, second] = variants.filter((variant) => variant.type !== "null");
  if (!first || !second) return first ? walk(first, value, path) : [];
  const types = [first, second].map((variant) => resolve(variant).type);
  if (types.includes("number")) return walk({ type: "number" }, value, path);
  if (typeof value === "string") return walk({ type: "string" }, value, path);
  if (!isObject(value)) return [fault(path, "wrong_type.string_or_object")];
  return walk(types[0] === "object" ? first : second, value, path);
}

function walkWord(allowed: string[], value: unknown, path: string): Fault[] {
  if (typeof value !== "string") return [fault(path, "wrong_type.string")];
  if (allowed.includes(value)) return [];
  const key = path === "kind" || path.endsWith(".type") ? "unknown_type" : "unknown_value";
  return [fault(path, key, { allowed: allowed.join(", ") })];
}

function walkType(node: Node, value: unknown, path: string): Fault[] {
  switch (node.type) {
    case "string":
      if (typeof value !== "string") return [fault(path, "wrong_type.string")];
      return hasLoneSurrogate(value) ? [fault(path, "lone_surrogate")] : [];
    case "integer":
      return Number.isInteger(value) ? [] : [fault(path, "wrong_type.integer")];
    case "number":
    case "boolean":
      return typeof value === node.type ? [] : [fault(path, `wrong_type.${node.type}`)];
    case "array":
      if (!Array.isArray(value)) return [fault(path, "wrong_type.list")];
      return value.flatMap((item, index) => walk(node.items ?? {}, item, join(path, index)));
    case "object":
      return isObject(value) ? walkObject(node, value, path) : [fault(path, "wrong_type.object")];
    default:
      return walkJson(value, path);
  }
}

/** Any JSON: only its texts can be wrong. */
function walkJson(value: unknown, path: string): Fault[] {
  if (typeof value === "string") return walk({ type: "string" }, value, path);
  if (Array.isArray(value)) return value.flatMap((item, index) => walkJson(item, join(path, index)));
  if (isObject(value)) return Object.entries(value).flatMap(([key, item]) => walkJson(item, join(path, key)));
  return [];
}

/** An option's value defaults to its label, so it is only missed where there is no label either. */
function walkObject(node: Node, value: Obj, path: string): Fault[] {
  const properties = node.properties ?? {};
  const missed = (node.required ?? []).filter(
    (key) => !Object.hasOwn(value, key) && !(key === "value" && Object.hasOwn(value, "label")),
  );
  const missing = missed.map((key) =>
    fault(join(path, key), key === "options" ? "option_required" : "missing_required"),
  );
  const present = Object.entries(value).flatMap(([key, item]) => {
    const property = own(properties, key);
    if (property) return walk(property, item, join(path, key));
    if (isObject(node.additionalProperties)) return walk(node.additionalProperties, item, join(path, key));
    return [unknownKey(properties, key, value, path)];
  });
  return [...missing, ...present];
}

function unknownKey(properties: Record<string, Node>, key: string, value: Obj, path: string): Fault {
  const ofField = properties.type?.const !== undefined && FIELD_KEYS.has(key);
  const at = join(path, shorten(key));
  return ofField ? fault(at, "constraint_not_allowed", { type: value.type }) : fault(at, "unknown_field.key");
}

const FIELD_TYPES = Object.values(DEFINITIONS).filter((node) => node.properties?.type);
const FIELD_KEYS = new Set(FIELD_TYPES.flatMap((node) => Object.keys(node.properties ?? {})));

function walkField(variants: Node[], value: unknown, path: string): Fault[] {
  if (!isObject(value)) return [fault(path, "wrong_type.object")];
  const at = join(path, "type");
  if (!Object.hasOwn(value, "type")) return [fault(at, "missing_required")];
  const words = variants.map((variant) => variant.properties?.type?.const ?? "");
  const wrong = walkWord(words, value.type, at);
  if (wrong.length) return wrong;
  return walk(variants[words.indexOf(value.type as string)] ?? {}, value, path);
}
