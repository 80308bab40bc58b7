import texts from "../../src/askback/messages/en.json?request&texts" with { type: "json" };
import { titleOrId } from "../src/app/titles.ts";
import { followRequest } from "../src/client/follow-request.ts";
import { audience, isForOthers } from "../src/core/audience.ts";
import type { InputRequest, ThreadPage } from "../src/core/generated/wire.ts";
import { addTexts } from "../src/core/messages.ts";
import { loadKinds } from "../src/elements/kinds.ts";
import { questionOf } from "../src/elements/labels.ts";
import { AskbackRequest } from "../src/elements/request.ts";
import { connect, pathId } from "./page.ts";
import { $, getText, showTexts } from "./words.ts";

addTexts(texts);
customElements.define("askback-request", AskbackRequest);
const client = connect();
await showTexts();
const me = client.whoami().then(({ principal }) => principal);
me.catch(() => {}); // without a session the sign-in page follows
const card = document.createElement("askback-request");
card.client = client;
card.headingLevel = 2;
card.takesFocus = true;
// The link above has the title of the conversation.
card.inThread = true;
$("main").append(card);

/** With `?private`, the link of an agent's client: who else opens it sees for whom it is, and nothing more. */
const isPrivate = new URLSearchParams(location.search).has("private");

let shownRequest: InputRequest | undefined;
let conversationTitle: Promise<string> | undefined;

/** Return what the conversation of a request is called; only who may see the conversation gets its title. */
async function conversationOf({ thread_id, requester }: InputRequest): Promise<string> {
  conversationTitle ??= client.get<ThreadPage>(`/v1/threads?q=${encodeURIComponent(thread_id)}`).then(
    ({ threads }) => titleOrId(thread_id, threads.find(({ id }) => id === thread_id)?.title),
    () => titleOrId(thread_id),
  );
  return (await conversationTitle) || getText("conversation_with", { name: requester?.name ?? "?" });
}

async function show(request: InputRequest): Promise<void> {
  shownRequest = request;
  const isOthers = isPrivate && isForOthers(request, await me);
  $("other").hidden = !isOthers;
  $("other").textContent = isOthers ? getText("for_others", { names: audience(request) }) : "";
  card.hidden = isOthers;
  const link = $("thread") as HTMLAnchorElement;
  link.hidden = isOthers;
  if (isOthers) return;
  link.href = `/t/${encodeURIComponent(request.thread_id)}`;
  card.request = request;
  const [name] = await Promise.all([conversationOf(request), loadKinds([request])]);
  link.textContent = name;
  document.title = `${questionOf(request)} – askback`;
}

addEventListener("languagechange", () => shownRequest && void show(shownRequest));
followRequest(
  client,
  pathId(),
  (request) => void show(request),
  () => {
    card.hidden = true;
    $("thread").hidden = true;
    $("gone").hidden = false;
  },
);
