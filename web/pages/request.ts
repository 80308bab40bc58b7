import texts from "../../src/askback/messages/en.json?request" with { type: "json" };
import { followRequest } from "../src/client/follow-request.ts";
import { audience, type Person, readOnlyReason } from "../src/core/audience.ts";
import type { InputRequest } from "../src/core/generated/wire.ts";
import { isTerminal } from "../src/core/lifecycle.ts";
import { addTexts } from "../src/core/messages.ts";
import { loadKinds } from "../src/elements/kinds.ts";
import { AskbackRequest } from "../src/elements/request.ts";
import { questionOf } from "../src/elements/show.ts";
import { connect, pathId } from "./page.ts";
import { $, getText, showTexts } from "./words.ts";

addTexts(texts);
customElements.define("askback-request", AskbackRequest);
const client = connect();
await showTexts();
const me = client.whoami().then(({ principal }) => principal);
const card = document.createElement("askback-request");
card.client = client;
card.headingLevel = 2;
card.takesFocus = true;
$("main").append(card);

/** With `?private`, the link of an agent's client: who else opens it sees for whom it is, and nothing more. */
const isPrivate = new URLSearchParams(location.search).has("private");

const isForOthers = (request: InputRequest, person: Person): boolean =>
  isPrivate && !isTerminal(request.status) && readOnlyReason(request, person) === "for";

async function show(request: InputRequest): Promise<void> {
  const isOthers = isForOthers(request, await me);
  $("other").hidden = !isOthers;
  $("other").textContent = isOthers ? getText("for_others", { names: audience(request) }) : "";
  card.hidden = isOthers;
  $("thread").hidden = isOthers;
  if (isOthers) return;
  ($("thread") as HTMLAnchorElement).href = `/t/${encodeURIComponent(request.thread_id)}`;
  card.request = request;
  await loadKinds([request]);
  document.title = `${questionOf(request)} – askback`;
}

followRequest(
  client,
  pathId(),
  (request) => void show(request),
  () => {
    card.hidden = true;
    $("gone").hidden = false;
  },
);
