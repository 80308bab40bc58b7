import { type Person, readOnlyReason } from "../../core/audience.ts";
import { parseReply } from "../../core/freetext.ts";
import type { InputRequest, Run } from "../../core/generated/wire.ts";
import { isTerminal } from "../../core/lifecycle.ts";
import { type Locale, renderFault } from "../../core/messages.ts";
import type { Transcript } from "../../core/transcript.ts";
import { localizeRequest, texts } from "../localtexts.ts";
import { onDemand } from "../ondemand.ts";
import type { GetText } from "../text.ts";

/** The person who writes, and the language of the sentences. */
export interface Writer {
  readonly getText: GetText;
  readonly locale: Locale;
  /** The signed-in person, once known. */
  readonly me: Person | undefined;
}

/** Return the open requests, without those that wait in line behind another. */
export const openRequests = ({ requests }: Transcript): readonly InputRequest[] =>
  requests.filter(({ status, queued_behind }) => !isTerminal(status) && !queued_behind);

/** Return the form that a message of this person would answer, if there is exactly one. */
function onlyOpenForm(thread: Transcript, me: Person | undefined): InputRequest | undefined {
  const [firstRequest, ...others] = openRequests(thread).filter(({ status }) => status === "pending");
  if (thread.free_text !== "answer" || others.length > 0 || !firstRequest?.form) return undefined;
  return readOnlyReason(firstRequest, me) ? undefined : firstRequest;
}

function predictCancel(forms: number, getText: GetText): string | undefined {
  return forms > 0 ? getText("composer.closes", { count: forms }) : undefined;
}

function predictAnswer(thread: Transcript, { me, getText }: Writer): string | undefined {
  const form = onlyOpenForm(thread, me)?.form;
  const reply = form && parseReply(form, "");
  if (!reply) return undefined;
  if ("values" in reply) return getText("composer.answers");
  return reply.why === "not_an_option" ? getText("composer.answers_option") : undefined;
}

/** Whether the agent of a run stops it, and withdraws its requests, when a person writes. */
const stopsOnMessage = ({ metadata }: Run): boolean =>
  (metadata as { message_stops?: boolean } | null | undefined)?.message_stops === true;

/** Say that a message answers none of the open requests. */
const predictNothing = (
  { runs }: Transcript,
  { length: count }: readonly InputRequest[],
  getText: GetText,
): string => getText(runs?.some(stopsOnMessage) ? "composer.stops" : "composer.answers_nothing", { count });

/** Return a sentence about what a message will do to what is open; undefined if nothing is. */
export function predictOutcome(thread: Transcript, writer: Writer): string | undefined {
  const { getText } = writer;
  const open = openRequests(thread);
  if (open.length === 0) return undefined;
  switch (thread.free_text) {
    case "queue":
      return getText("composer.queue");
    case "block_input":
      return getText("composer.answer_first");
    case "cancel_pending":
      return (
        predictCancel(open.filter(({ form }) => form).length, getText) ??
        predictNothing(thread, open, getText)
      );
    case "answer":
      return predictAnswer(thread, writer) ?? predictNothing(thread, open, getText);
    default:
      return predictNothing(thread, open, getText);
  }
}

/** Return why a text would not answer the open form, or undefined. The server reads the text again and decides. */
export function explainMismatch(
  thread: Transcript,
  text: string,
  { getText, locale, me }: Writer,
): string | undefined {
  const openForm = onlyOpenForm(thread, me);
  const reply = openForm?.form && parseReply(openForm.form, text);
  const { form, view } = (openForm && localizeRequest(openForm)) ?? {};
  if (!form || !reply) return undefined;
  if ("values" in reply) {
    const [fault] = onDemand.findValueFaults?.(form, reply.values, view?.patterns) ?? [];
    return fault && (texts.ownMessage?.(form, fault) ?? renderFault(fault, locale));
  }
  const { why } = reply;
  return why === "ambiguous" || why === "not_an_option" ? getText(`composer.${why}`) : undefined;
}
