import { hindrance } from "../../core/audience.ts";
import { readText } from "../../core/freetext.ts";
import { isTerminal } from "../../core/lifecycle.ts";
import { type Locale, renderFault } from "../../core/messages.ts";
import type { Transcript } from "../../core/transcript.ts";
import { findFaults } from "../../core/values.ts";
import type { Actor, InputRequest } from "../../core/wire.ts";
import type { Say } from "../text.ts";

/** Whom it is told, and in which words. */
export interface Told {
  readonly say: Say;
  readonly locale: Locale;
  /** Who is signed in, once that is known. */
  readonly me: Actor | undefined;
}

/** What is open and not in line: what waits there comes forward by itself. */
export const openIn = ({ requests }: Transcript): readonly InputRequest[] =>
  requests.filter(({ status, queued_behind }) => !isTerminal(status) && !queued_behind);

/** The form that a message of this person is meant to answer, if there is one. */
function soleForm(thread: Transcript, me: Actor | undefined): InputRequest | undefined {
  const [only, ...others] = openIn(thread).filter(({ status }) => status === "pending");
  if (thread.free_text !== "answer" || others.length > 0 || !only?.form) return undefined;
  return hindrance(only, me) ? undefined : only;
}

function closing(forms: number, say: Say): string | undefined {
  if (forms > 1) return say("composer.closes.many", { count: forms });
  return forms === 1 ? say("composer.closes.one") : undefined;
}

function answering(thread: Transcript, { me, say }: Told): string | undefined {
  const form = soleForm(thread, me)?.form;
  const meant = form && readText(form, "");
  if (!meant) return undefined;
  if ("values" in meant) return say("composer.answers");
  return meant.why === "not_an_option" ? say("composer.answers_option") : undefined;
}

/** What will become of a message, in words; nothing where it is a message and that is all. */
export function foretell(thread: Transcript, told: Told): string | undefined {
  const { say } = told;
  const open = openIn(thread);
  if (open.length === 0) return undefined;
  switch (thread.free_text) {
    case "queue":
      return say("composer.queue");
    case "block_input":
      return say("composer.answer_first");
    case "cancel_pending":
      return closing(open.filter(({ form }) => form).length, say);
    case "answer":
      return answering(thread, told);
    default:
      return undefined;
  }
}

/** Why a text would not answer the form that it is meant for, in words. The server reads it anew, and decides. */
export function mismatch(thread: Transcript, text: string, { say, locale, me }: Told): string | undefined {
  const { form, view } = soleForm(thread, me) ?? {};
  const meant = form && readText(form, text);
  if (!form || !meant) return undefined;
  if ("values" in meant) {
    const [fault] = findFaults(form, meant.values, view?.patterns);
    return fault && renderFault(fault, locale);
  }
  const { why } = meant;
  return why === "ambiguous" || why === "not_an_option" ? say(`composer.${why}`) : undefined;
}
