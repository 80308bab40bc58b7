import type { Client } from "../client/client.ts";
import { eraseDrafts } from "../elements/drafttypes.ts";

const goToLogin = (reason = ""): void =>
  location.assign(`/login?next=${encodeURIComponent(location.pathname + location.search)}${reason}`);

/** Go to the sign-in page, which leads back to this address; it says so if a session has ended. */
export const signIn = (client: Client): void =>
  void client.sessionKey().then((key) => goToLogin(key && "&ended"));

/** End the session, and go to the sign-in page. */
export function signOut(client: Client): void {
  eraseDrafts(localStorage);
  const leave = (): void => goToLogin();
  void client.signOut().then(leave, leave);
}
