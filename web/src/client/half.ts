/**
 * The second half of the session. The cookie alone opens nothing: it reaches every port of the host, while IndexedDB
 * belongs to this origin. All its tabs and a service worker read the same value. After sign-out it opens nothing.
 */

const STORE = "session";
const KEY = "half";

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

const committed = (transaction: IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });

/** Act on the store; a page that leaves before a write is committed loses it, so that is waited for. */
async function inStore<T>(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const opening = indexedDB.open("askback-session");
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  const db = await done(opening);
  try {
    const transaction = db.transaction(STORE, mode);
    const [result] = await Promise.all([done(act(transaction.objectStore(STORE))), committed(transaction)]);
    return result;
  } finally {
    db.close();
  }
}

/** Read it; empty when nobody has signed in here. */
export const readHalf = (): Promise<string> =>
  inStore("readonly", (store) => store.get(KEY)).then(
    (half) => half ?? "",
    () => "",
  );

/** Keep the one of a new login in place of the last. */
export const keepHalf = (half: string): Promise<unknown> =>
  inStore("readwrite", (store) => store.put(half, KEY));
