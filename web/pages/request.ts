import { followRequest } from "../src/client/follow-request.ts";
import { questionOf } from "../src/elements/show.ts";
import { $, connect, pathId, speak } from "./page.ts";

speak();
const client = connect();
// The request is read while the code that draws it is on its way.
void import("../src/elements/request.ts").then(({ AskbackRequest }) => {
  customElements.define("askback-request", AskbackRequest);
});
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
    document.title = `${questionOf(request)} – askback`;
    card.request = request;
  },
  () => {
    card.hidden = true;
    $("gone").hidden = false;
  },
);
