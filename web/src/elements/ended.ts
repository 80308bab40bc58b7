import type { Actor } from "../core/actor.ts";
import { isSame } from "../core/audience.ts";
import { isTerminal } from "../core/lifecycle.ts";
import { type Origin, underway, type View } from "../core/machine.ts";
import type { InputRequest } from "../core/wire.ts";
import { html, type Template } from "./html.ts";
import { icons } from "./icons.ts";
import { questionOf } from "./show.ts";
import { type Say, when } from "./text.ts";

/** What happened to the submission of this person, as a key of the catalogue. */
type Fate = "lost" | "lost_self" | "unused" | "elsewhere";

/** Return what happened to this person's submission, unless the receipt shows it anyway. */
export function fateOf(
  origin: Origin,
  { status, settled_by }: InputRequest,
  unused: boolean,
  me: Actor | undefined,
): Fate | false {
  const own = !!me && isSame(me, settled_by);
  if (origin === "lost" && own) return "lost_self";
  if (unused || (origin === "lost" && ["cancelled", "expired"].includes(status))) return "unused";
  if (origin === "lost") return origin;
  return origin === "elsewhere" && own && status === "answered" && origin;
}

/** Return the text for screen readers. */
export function announcementOf(view: View, say: Say): string {
  const { request, phase } = view;
  if (phase === "submitting") return say(underway(view));
  if (!request || !isTerminal(request.status)) return "";
  return say(phase === "answered" ? "done_answered" : "done_ended", { title: questionOf(request) });
}

/** A settled request, and what its receipt shows besides. */
export interface Settled {
  request: InputRequest;
  say: Say;
  locale: string;
  fate: Fate | false;
  /** The text that this person had entered and not sent, as one line. */
  unsent: string;
}

/** Return who ended it and when; `key` names the sentence. */
export const byline = (key: string, { request, say, locale }: Settled): string =>
  [
    say(key, { name: request.settled_by?.name ?? say("someone") }),
    request.settled_at && when(request.settled_at, locale),
  ]
    .filter(Boolean)
    .join(" · ");

/** Draw what happened to the submission of this person and to unsent text: nothing is dropped silently (K2). */
export const late = ({ fate, unsent, say }: Settled): Template =>
  html`${fate && html`<span class="by"><strong>${say(fate)}</strong></span>`}${
    unsent && html`<span class="by">${say("unsent", { text: unsent })}</span>`
  }`;

/** A settled request as one line that opens to `more`, or one that does not. */
export const drawLine = (line: Template, more?: Template | false | null): Template =>
  more
    ? html`<details class="card" part="card">
        <summary>${line}<span class="chevron">${icons.down}</span></summary>
        ${more}
      </details>`
    : html`<div class="card plain" part="card" tabindex="-1">${line}</div>`;

/** A request that ended without an answer, and why. */
export function drawEnded(view: Settled): Template {
  const { request, say } = view;
  const { status, reason, note } = request;
  const icon = status === "expired" ? icons.clock : reason === "skipped" ? icons.skip : icons.cross;
  const key =
    status === "expired" ? status : `${status}.${reason ?? (status === "declined" ? "dismissed" : "failed")}`;
  return drawLine(html`${icon}
    <div>
      <p><strong>${questionOf(request)}</strong></p>
      <p class="by">${status === "declined" ? byline(key, view) : say(key)}</p>
      ${note && html`<p class="by">“${note}”</p>`} ${late(view)}
    </div>`);
}
