import { newKey } from "../client/key.ts";

/** Characters from which the id of a tool call is taken as unique in its thread; many providers count `call_0`. */
const SHORTEST_UNIQUE_ID = 12;
const LONGEST_KEY = 255;

/**
 * The idempotency key of a tool call, `THREAD:RUN:TOOL_CALL_ID`, or a random one if its id may not be unique.
 *
 * Without a run, the id must have at least 12 characters. Parts that would make the key ambiguous or too long for a
 * header are hashed.
 */
export async function callKey(
  thread: string,
  run: string | null | undefined,
  call: string | null | undefined,
): Promise<string> {
  if (!call || (!run && call.length < SHORTEST_UNIQUE_ID)) return newKey();
  const parts = [thread, run ?? "", call];
  const key = parts.join(":");
  if (/^[\x20-\x7e]*$/.test(key) && key.split(":").length === 3 && key.length <= LONGEST_KEY) return key;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(parts)));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
