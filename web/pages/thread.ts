// These first: side by side, and in this order, they compress better.
import "../src/elements/tokens.css.ts";
import "../src/elements/field.css.ts";
import "../src/elements/thread.css.ts";
import "../src/elements/request.css.ts";
import "../src/elements/field.ts";
import "../src/elements/requester.ts";
import { AskbackRequest } from "../src/elements/request.ts";
import { AskbackThread } from "../src/elements/thread.ts";
import { connect, pathId } from "./page.ts";
import { $, getText, showTexts } from "./words.ts";

customElements.define("askback-request", AskbackRequest);
customElements.define("askback-thread", AskbackThread);
const thread = document.createElement("askback-thread");
thread.client = connect();
thread.thread = pathId();
const name = (): void => {
  const title = thread.transcript?.title ?? `${getText("thread")} ${thread.thread}`;
  $("title").textContent = title;
  document.title = `${title} – askback`;
};
thread.addEventListener("askback-thread", name);
addEventListener("languagechange", name);
await showTexts();
$("main").append(thread);
