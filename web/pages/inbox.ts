import { AskbackInbox } from "../src/elements/inbox.ts";
import { connect, say, speak } from "./page.ts";

customElements.define("askback-inbox", AskbackInbox);
speak();
connect();
addEventListener("askback-waiting", (event) => {
  const count = (event as Event & { count: number }).count;
  document.title = `${count > 0 ? `(${count}) ` : ""}${say("inbox")} – askback`;
});
