import { AskbackThread } from "../src/elements/thread.ts";
import { $, connect, pathId, say, speak } from "./page.ts";

customElements.define("askback-thread", AskbackThread);
speak();
const thread = document.createElement("askback-thread");
thread.client = connect();
thread.thread = pathId();
$("name").textContent = pathId();
document.title = `${pathId()} – ${say("conversation")} – askback`;
$("main").append(thread);

// The conversation is drawn while the code for its questions is on its way.
void import("../src/elements/request.ts").then(({ AskbackRequest }) => {
  customElements.define("askback-request", AskbackRequest);
});
