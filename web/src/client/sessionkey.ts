/**
 * Stores the key that the server asks for beside the session cookie.
 *
 * Every port of the host receives the cookie, so the cookie alone is worth nothing; IndexedDB belongs to this origin.
 * All tabs of the origin and its service worker read the same key, which is void after sign-out.
 */

const STORE = "session";
const KEY = "half";

/** Run one operation; it resolves after the commit, because a page that is left earlier loses the write. */
async function inStore<T>(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const opening = indexedDB.open("askback-session");
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  await new Promise((resolve, reject) => {
    opening.onsuccess = resolve;
    opening.onerror = () => reject(opening.error);
  });
  const { result: db } = opening;
  try {
    const transaction = db.transaction(STORE, mode);
    const request = act(transaction.objectStore(STORE));
    await new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
    return request.result;
  } finally {
    db.close();
  }
}

/** Return the key, or an empty text if nobody has signed in here. */
export const readSessionKey = (): Promise<string> =>
  inStore("readonly", (store) => store.get(KEY)).then(
    (key) => key ?? "",
    () => "",
  );

/** Replace the key after a sign-in. */
export const storeSessionKey = (key: string): Promise<unknown> =>
  inStore("readwrite", (store) => store.put(key, KEY));
