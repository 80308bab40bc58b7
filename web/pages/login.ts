import { WireError } from "../src/client/errors.ts";
import { Rest } from "../src/client/rest.ts";
import { storeSessionKey } from "../src/client/sessionkey.ts";
import type { NewSession } from "../src/core/generated/wire.ts";
import { draftKeys } from "../src/elements/drafts.ts";
import { $, entitle, speak } from "./words.ts";

/** Where a login may lead: our own pages, never another site. */
const NEXT =
  /^\/(?:(?:gallery|inbox|conversations|history|rules|secrets|audit|agents|settings|[tr])(?:\/[\w.~%!$&'()*+,;=:@-]{1,600})?)?(?:\?[\w.~%&=+-]{1,600})?$/;

const rest = new Rest("");
const field = $("code") as HTMLInputElement;
const form = $("enter") as HTMLFormElement;
let next = "/";

/** The code of a link and where it leads: `CODE` or `CODE&next=/t/thread`. */
function split(fragment: string): [string, string] {
  const [first = "", ...rest] = fragment.split("&");
  const wanted = new URLSearchParams(rest.join("&")).get("next") ?? query().get("next") ?? "/";
  return [first === "main" ? "" : decodeURIComponent(first), NEXT.test(wanted) ? wanted : "/"];
}

const query = (): URLSearchParams => new URLSearchParams(location.search);

/** The code in what somebody pasted: the whole link, or the code alone. */
const codeIn = (text: string): string => split(text.trim().split("#").at(-1) ?? "")[0];

/** Trade a code for a session; where `typed`, it may be a token as well. */
async function enter(code: string, typed = false): Promise<void> {
  tell("busy");
  try {
    const { session } = await trade({ code }).catch((error: unknown) => {
      if (!typed || !(error instanceof WireError) || error.status !== 401) throw error;
      return trade({ token: code });
    });
    await storeSessionKey(session);
    location.replace(next);
  } catch (error) {
    // The link of somebody who is signed in already, opened a second time.
    if (error instanceof WireError && error.status === 401 && (await isSignedIn())) location.replace(next);
    else tellWhy(error);
  }
}

const trade = (body: { code: string } | { token: string }): Promise<NewSession> =>
  rest.call("POST", "/v1/sessions", body);

function tellWhy(error: unknown): void {
  if (!(error instanceof WireError)) tell("store");
  else if (error.status === 403) tell("program");
  else tell(error.final ? "used" : "away");
  field.focus();
}

/** Show one of the sentences that the page has for what can happen. */
function tell(what: string): void {
  for (const each of $("said").children) (each as HTMLElement).hidden = each.id !== what;
}

const isSignedIn = (): Promise<boolean> =>
  rest.whoami().then(
    () => true,
    () => false,
  );

await speak();
entitle();
if (query().has("ended")) {
  tell("ended");
  $("kept").hidden = draftKeys(localStorage).length === 0;
}
form.addEventListener("submit", (event) => {
  event.preventDefault();
  void enter(codeIn(field.value), true);
});
// Only now: what is sent before would go to the address of the page, and be lost.
form.hidden = false;
addEventListener("hashchange", follow);
follow();

/** Use the link that this page was opened with, or that was opened in its tab since. */
function follow(): void {
  const isOld = query().has("code");
  const [code, wanted] = split(location.hash.slice(1));
  next = wanted;
  // At once, so that the code stays neither in the address nor in the history.
  if (code || isOld)
    history.replaceState(null, "", next === "/" ? "/login" : `/login?next=${encodeURIComponent(next)}`);
  if (code) void enter(code);
  else if (isOld) tell("old");
}
