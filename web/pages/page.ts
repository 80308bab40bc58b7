import { Client } from "../src/client/client.ts";
import { loadTexts, negotiate } from "../src/core/messages.ts";
import { eraseDrafts } from "../src/elements/drafts.ts";
import { localeOf, sayIn } from "../src/elements/text.ts";

const root = document.documentElement;
const asked = new URLSearchParams(location.search).get("lang");
const locale = negotiate(asked ? [asked] : navigator.languages);
root.lang = locale;
await loadTexts(locale);

/** The words of the page in the reader's language; `?lang=` chooses another. */
export const say = sayIn(localeOf(root));

/** A part of the page that its HTML is known to have. */
export const $ = (id: string): HTMLElement => document.getElementById(id) as HTMLElement;

/** Put the page's own words, which are written in English, into the reader's language. */
export function speak(): void {
  if (locale === "en") return;
  for (const element of document.querySelectorAll<HTMLElement>("[data-say]"))
    element.textContent = say(element.dataset.say ?? "");
}

/** The last part of the path: the id in `/t/{thread}` and `/r/{request}`. */
export const pathId = (): string => decodeURIComponent(location.pathname.split("/").at(-1) ?? "");

const toLogin = (): void =>
  location.assign(`/login?next=${encodeURIComponent(location.pathname + (asked ? `?lang=${locale}` : ""))}`);

/** Show who is signed in and how the connection is; without a session go to the sign-in page. */
export function connect(): Client {
  const client = Client.shared;
  const link = $("link");
  link.hidden = false;
  const show = (): void => {
    if (client.link === "signed-out") toLogin();
    else link.textContent = say(client.link);
    link.dataset.link = client.link;
  };
  client.addEventListener("link", show);
  show();
  client.whoami().then(
    ({ principal }) => {
      $("me").textContent = principal.name;
      $("out").hidden = false;
    },
    () => {},
  );
  $("out").addEventListener("click", () => {
    eraseDrafts(localStorage);
    void client.signOut().then(toLogin, toLogin);
  });
  return client;
}
