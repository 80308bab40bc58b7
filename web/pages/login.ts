import { WireError } from "../src/client/errors.ts";
import { Rest } from "../src/client/rest.ts";
import { readSessionKey, storeSessionKey } from "../src/client/sessionkey.ts";
import type { NewSession } from "../src/core/generated/wire.ts";
import { draftKeys } from "../src/elements/drafttypes.ts";
import { keepTitle } from "./title.ts";
import { $, showTexts } from "./words.ts";

/** Where a login may lead: our own pages, never another site. */
const SERVER_PATH =
  /^\/(?:(?:gallery|inbox|conversations|history|rules|secrets|audit|agents|settings|[tr])(?:\/[\w.~%!$&'()*+,;=:@-]{1,600})?)?(?:\?[\w.~%&=+-]{1,600})?$/;

/** How long the button is off after it appears: a second click of a double click was meant for another page. */
const GUARD_MS = 500;

const restClient = new Rest("");
const field = $("code") as HTMLInputElement;
const form = $("enter") as HTMLFormElement;
let nextPath = "/";

/** The code of a link and where it leads: `CODE` or `CODE&next=/t/thread`. */
function splitFragment(fragment: string): [string, string] {
  const [first = "", ...parameters] = fragment.split("&");
  const destination = new URLSearchParams(parameters.join("&")).get("next") ?? query().get("next") ?? "/";
  return [
    first === "main" ? "" : decodeURIComponent(first),
    SERVER_PATH.test(destination) ? destination : "/",
  ];
}

const query = (): URLSearchParams => new URLSearchParams(location.search);

/** The code in what somebody pasted: the whole link, or the code alone. */
const codeOf = (text: string): string => splitFragment(text.trim().split("#").at(-1) ?? "")[0];

/** Exchange a code for a session. If the person typed it, it may also be a token. */
async function signIn(code: string, isTyped = false): Promise<void> {
  showSentence("busy");
  $("ask").hidden = true;
  try {
    const { session } = await exchange({ code }).catch((error: unknown) => {
      if (!isTyped || !(error instanceof WireError) || error.status !== 401) throw error;
      return exchange({ token: code });
    });
    await storeSessionKey(session);
    location.replace(nextPath);
  } catch (error) {
    // The link of somebody who is signed in already, opened a second time.
    if (error instanceof WireError && error.status === 401 && (await personName()))
      location.replace(nextPath);
    else showError(error);
  }
}

const exchange = (body: { code: string } | { token: string }): Promise<NewSession> =>
  restClient.call("POST", "/v1/sessions", body);

function showError(error: unknown): void {
  if (!(error instanceof WireError)) showSentence("store");
  else if (error.status === 403) showSentence("program");
  else showSentence(error.final ? "used" : "away");
  field.focus();
}

/** Show one of the sentences that the page has for what can happen. */
function showSentence(id: string): void {
  for (const sentence of $("said").children) (sentence as HTMLElement).hidden = sentence.id !== id;
}

/** The name of who is signed in here, undefined if nobody is. */
const personName = (): Promise<string | undefined> =>
  restClient.whoami().then(
    ({ principal }) => principal.name,
    () => undefined,
  );

/**
 * Use the code of a link that was opened. Any page can open one of its own: where somebody is signed in, and where the
 * link comes from another site, it waits for a click, so that nobody goes on in the session of somebody else unnoticed.
 */
async function useCode(code: string): Promise<void> {
  const name = (await readSessionKey()) && (await personName());
  if (name) {
    $("who").textContent = name;
    ask("known", code);
  } else if (isForeign(document.referrer)) ask("foreign", code);
  else void signIn(code);
}

const isForeign = (address: string): boolean => address !== "" && new URL(address).origin !== location.origin;

function ask(sentence: "known" | "foreign", code: string): void {
  const [button, link] = [$("go") as HTMLButtonElement, $("stay") as HTMLAnchorElement];
  showSentence(sentence);
  $("ask").hidden = false;
  link.hidden = sentence !== "known";
  link.href = nextPath;
  button.disabled = true;
  button.onclick = () => void signIn(code);
  setTimeout(() => {
    button.disabled = false;
  }, GUARD_MS);
}

await showTexts();
keepTitle();
if (query().has("ended")) {
  showSentence("ended");
  $("kept").hidden = draftKeys(localStorage).length === 0;
}
form.addEventListener("submit", (event) => {
  event.preventDefault();
  void signIn(codeOf(field.value), true);
});
// Only now: what is sent before would go to the address of the page, and be lost.
form.hidden = false;
addEventListener("hashchange", useLink);
useLink();

/** Use the link that this page was opened with, or that was opened in its tab since. */
function useLink(): void {
  const isOldLink = query().has("code");
  const [code, destination] = splitFragment(location.hash.slice(1));
  nextPath = destination;
  // At once, so that the code stays neither in the address nor in the history.
  if (code || isOldLink)
    history.replaceState(
      null,
      "",
      nextPath === "/" ? "/login" : `/login?next=${encodeURIComponent(nextPath)}`,
    );
  if (code) void useCode(code);
  else if (isOldLink) showSentence("old");
}
