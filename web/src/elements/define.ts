/** Registers the elements; the only file here with a side effect. */
import { AskbackRequest } from "./request.ts";
import { AskbackThread } from "./thread.ts";

const TAGS = {
  "askback-request": AskbackRequest,
  "askback-thread": AskbackThread,
};

for (const [tag, element] of Object.entries(TAGS)) {
  if (!customElements.get(tag)) customElements.define(tag, element);
}
