export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The values of a form by field id. */
export type Values = Record<string, Json>;

/** Whether a value is an object, and neither null nor a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
