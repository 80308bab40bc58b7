import { Client } from "../src/client/client.ts";
import { eraseDrafts } from "../src/elements/drafts.ts";
import { $, getText, languageQuery } from "./words.ts";

/** The last part of the path: the id in `/t/{thread}` and `/r/{request}`. */
export const pathId = (): string => decodeURIComponent(location.pathname.split("/").at(-1) ?? "");

const toLogin = (reason = ""): void =>
  location.assign(`/login?next=${encodeURIComponent(location.pathname + languageQuery)}${reason}`);

/** Show who is signed in and how the connection is, once the page speaks; without a session go to the sign-in page. */
export function connect(): Client {
  const client = Client.shared;
  const link = $("link");
  link.hidden = false;
  const show = (): void => {
    if (client.link === "signed-out") void client.sessionKey().then((key) => toLogin(key && "&ended"));
    else link.textContent = getText(client.link);
    link.dataset.link = client.link;
  };
  client.addEventListener("link", show);
  addEventListener("languagechange", show);
  client.whoami().then(
    ({ principal }) => {
      $("me").textContent = principal.name;
      $("out").hidden = false;
    },
    () => {},
  );
  $("out").onclick = () => {
    eraseDrafts(localStorage);
    const leave = (): void => toLogin();
    void client.signOut().then(leave, leave);
  };
  return client;
}
