/**
 * Stores the key that the server asks for beside the session cookie.
 *
 * Every port of the host receives the cookie, so the cookie alone is worth nothing; IndexedDB belongs to this origin.
 * All tabs of the origin and its service worker read the same key, which is void after sign-out.
 */

const STORE = "session";
const KEY = "half";

const requestDone = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

const transactionDone = (transaction: IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });

/** Run one operation; it resolves after the commit, because a page that is left earlier loses the write. */
async function inStore<T>(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const opening = indexedDB.open("askback-session");
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  const db = await requestDone(opening);
  try {
    const transaction = db.transaction(STORE, mode);
    const [result] = await Promise.all([
      requestDone(act(transaction.objectStore(STORE))),
      transactionDone(transaction),
    ]);
    return result;
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
