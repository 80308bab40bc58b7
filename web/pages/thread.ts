import { AskbackRequest } from "../src/elements/request.ts";
import { AskbackThread } from "../src/elements/thread.ts";
import { $, connect, pathId, say, speak } from "./page.ts";

customElements.define("askback-request", AskbackRequest);
customElements.define("askback-thread", AskbackThread);
speak();
const thread = document.createElement("askback-thread");
thread.client = connect();
thread.thread = pathId();
$("name").textContent = pathId();
document.title = `${pathId()} – ${say("conversation")} – askback`;
$("main").append(thread);
