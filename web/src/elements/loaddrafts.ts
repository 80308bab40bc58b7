import type { DraftStore } from "./drafttypes.ts";
import type { Sender } from "./kind.ts";

/** The store of the signed-in person; undefined until it is loaded, and then nothing is stored. */
export let draftStore: DraftStore | undefined;

let loading: Promise<void> | undefined;

/** Load the store for the person who is signed in at `client`; undefined if it is there already. It never rejects. */
export function loadDraftStore(client: Sender | undefined): Promise<void> | undefined {
  if (draftStore || !client?.whoami) return undefined;
  loading ??= load(client, client.whoami()).catch(() => {
    loading = undefined;
  });
  return loading;
}

async function load(client: Sender, session: ReturnType<NonNullable<Sender["whoami"]>>): Promise<void> {
  const [part, { principal }] = await Promise.all([import("./drafts/devicestore.ts"), session]);
  const store = new part.DeviceDraftStore(localStorage, principal.user ?? principal.name);
  void store.sendUnsent(client);
  draftStore = store;
}
