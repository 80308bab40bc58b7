import { type Person, readOnlyReason } from "../../core/audience.ts";
import { parseReply } from "../../core/freetext.ts";
import type { InputRequest } from "../../core/generated/wire.ts";
import { isTerminal } from "../../core/lifecycle.ts";
import { type Locale, renderFault } from "../../core/messages.ts";
import type { Transcript } from "../../core/transcript.ts";
import { readable, texts } from "../localtexts.ts";
import { onDemand } from "../ondemand.ts";
import type { Say } from "../text.ts";

/** The person who writes, and the language of the sentences. */
export interface Writer {
  readonly say: Say;
  readonly locale: Locale;
  /** The signed-in person, once known. */
  readonly me: Person | undefined;
}

/** Return the open requests, without those that wait in line behind another. */
export const openRequests = ({ requests }: Transcript): readonly InputRequest[] =>
  requests.filter(({ status, queued_behind }) => !isTerminal(status) && !queued_behind);

/** Return the form that a message of this person would answer, if there is exactly one. */
function soleForm(thread: Transcript, me: Person | undefined): InputRequest | undefined {
  const [only, ...others] = openRequests(thread).filter(({ status }) => status === "pending");
  if (thread.free_text !== "answer" || others.length > 0 || !only?.form) return undefined;
  return readOnlyReason(only, me) ? undefined : only;
}

function predictCancel(forms: number, say: Say): string | undefined {
  return forms > 0 ? say("composer.closes", { count: forms }) : undefined;
}

function predictAnswer(thread: Transcript, { me, say }: Writer): string | undefined {
  const form = soleForm(thread, me)?.form;
  const reply = form && parseReply(form, "");
  if (!reply) return undefined;
  if ("values" in reply) return say("composer.answers");
  return reply.why === "not_an_option" ? say("composer.answers_option") : undefined;
}

/** Say that a message answers none of the open requests. */
const predictNothing = ({ length: count }: readonly InputRequest[], say: Say): string =>
  say("composer.answers_nothing", { count });

/** Return a sentence about what a message will do to what is open; undefined if nothing is. */
export function predictOutcome(thread: Transcript, writer: Writer): string | undefined {
  const { say } = writer;
  const open = openRequests(thread);
  if (open.length === 0) return undefined;
  switch (thread.free_text) {
    case "queue":
      return say("composer.queue");
    case "block_input":
      return say("composer.answer_first");
    case "cancel_pending":
      return predictCancel(open.filter(({ form }) => form).length, say) ?? predictNothing(open, say);
    case "answer":
      return predictAnswer(thread, writer) ?? predictNothing(open, say);
    default:
      return predictNothing(open, say);
  }
}

/** Return why a text would not answer the open form, or undefined. The server reads the text again and decides. */
export function explainMismatch(
  thread: Transcript,
  text: string,
  { say, locale, me }: Writer,
): string | undefined {
  const asked = soleForm(thread, me);
  const reply = asked?.form && parseReply(asked.form, text);
  const { form, view } = (asked && readable(asked)) ?? {};
  if (!form || !reply) return undefined;
  if ("values" in reply) {
    const [fault] = onDemand.findValueFaults?.(form, reply.values, view?.patterns) ?? [];
    return fault && (texts.ownMessage?.(form, fault) ?? renderFault(fault, locale));
  }
  const { why } = reply;
  return why === "ambiguous" || why === "not_an_option" ? say(`composer.${why}`) : undefined;
}
