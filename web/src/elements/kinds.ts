import { own } from "../core/path.ts";
import type { InputRequest } from "../core/wire.ts";
import { FormKind } from "./formkind.ts";
import type { Host, Kind } from "./kind.ts";

type Make = new (host: Host) => Kind;

const kinds: Record<string, Make | undefined> = { form: FormKind };
let coming: Promise<void> | undefined;

/** What draws a kind of request; nothing for one that is not known here, or could not be fetched. */
export function makeKind(name: string, host: Host): Kind | undefined {
  const Made = own(kinds, name);
  return Made && new Made(host);
}

/**
 * Have what these requests are drawn by: what is not in the page's script is fetched when the first one is seen.
 *
 * It never rejects. After a failure the next call tries again.
 */
export function fetchKinds(requests: readonly InputRequest[]): Promise<void> | undefined {
  if (kinds.approval || !requests.some(({ kind }) => kind === "approval")) return undefined;
  coming ??= fetchApprovals();
  return coming;
}

async function fetchApprovals(): Promise<void> {
  try {
    const part = await import("./approval/kind.ts");
    kinds.approval = part.ApprovalKind;
  } catch {
    coming = undefined;
  }
}
