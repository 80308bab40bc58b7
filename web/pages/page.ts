import { signIn, signOut } from "../src/app/signin.ts";
import { Client } from "../src/client/client.ts";
import { $, getText } from "./words.ts";

/** The last part of the path: the id in `/t/{thread}` and `/r/{request}`. */
export const pathId = (): string => decodeURIComponent(location.pathname.split("/").at(-1) ?? "");

/** Show who is signed in and how the connection is, once the page speaks; without a session go to the sign-in page. */
export function connect(): Client {
  const client = Client.shared;
  client.showsLink = true;
  const link = $("link");
  link.hidden = false;
  const show = (): void => {
    if (client.link === "signed-out") signIn(client);
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
  $("out").onclick = () => signOut(client);
  return client;
}
