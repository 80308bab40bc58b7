/** Registers the elements; the only file here with a side effect. */
import { AskbackInbox } from "./inbox.ts";
import { AskbackRequest } from "./request.ts";
import { AskbackThread } from "./thread.ts";

const TAGS = {
  "askback-request": AskbackRequest,
  "askback-thread": AskbackThread,
  "askback-inbox": AskbackInbox,
};

for (const [tag, element] of Object.entries(TAGS)) {
  if (!customElements.get(tag)) customElements.define(tag, element);
}
