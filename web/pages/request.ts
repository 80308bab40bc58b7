import { followRequest } from "../src/client/follow-request.ts";
import { loadKinds } from "../src/elements/kinds.ts";
import { AskbackRequest } from "../src/elements/request.ts";
import { questionOf } from "../src/elements/show.ts";
import { $, connect, pathId, speak } from "./page.ts";

customElements.define("askback-request", AskbackRequest);
speak();
const client = connect();
const card = document.createElement("askback-request");
card.client = client;
card.headingLevel = 2;
$("main").append(card);
followRequest(
  client,
  pathId(),
  (request) => {
    const thread = $("thread") as HTMLAnchorElement;
    thread.href = `/t/${encodeURIComponent(request.thread_id)}`;
    thread.hidden = false;
    card.request = request;
    void Promise.resolve(loadKinds([request])).then(() => {
      document.title = `${questionOf(request)} – askback`;
    });
  },
  () => {
    card.hidden = true;
    $("gone").hidden = false;
  },
);
