import type { Form } from "../core/form.ts";
import type { Values } from "../core/json.ts";
import type { AskbackElement } from "./element.ts";
import type { Template } from "./html.ts";
import type { Say } from "./text.ts";

/** What draws `trouble`, which is why a text of the person's is not sent. */
export interface Doubtful extends AskbackElement {
  trouble: string | Template | undefined;
}

/** Asks about what looks like a secret; without it nothing is asked. */
interface Doubts {
  /** A question for each value of a form for everybody to read. */
  form(form: Form, values: Values, say: Say): string[];
  /** A question about a text from a box of `host`; `send` sends it all the same. */
  text(host: AskbackElement, text: string, send: () => void): Template | undefined;
}

/** What asks, once it is fetched: while the first text is typed, or before it is sent. */
export const doubts: Partial<Doubts> = {};

export const fetchDoubts = (): Promise<unknown> =>
  import("./shape/doubt.ts").then(
    (part) => Object.assign(doubts, part),
    () => {},
  );

/** Send a text, or ask about it in `trouble`; that waits for what asks, if it can be had. */
export async function sendOrDoubt(host: Doubtful, text: string, send: () => void): Promise<void> {
  await fetchDoubts();
  host.trouble = doubts.text?.(host, text, send);
  if (host.trouble) host.focusOn("#leave");
  else send();
}
