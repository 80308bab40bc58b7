import type { InputRequest } from "../core/wire.ts";
import { html, type Template } from "./html.ts";
import { icons } from "./icons.ts";
import { questionOf } from "./show.ts";
import { type Say, when } from "./text.ts";

/** What became of what this person did: a key of the catalogue. */
export type Fate = "lost" | "lost_self" | "unused" | "elsewhere";

/** What the settled views need besides the request. */
export interface Settled {
  request: InputRequest;
  say: Say;
  locale: string;
  fate: Fate | false;
  /** What this person had entered and not sent, as one line. */
  unsent: string;
}

/** Who ended it, in the words of `key`, and when. */
export const byline = (key: string, { request, say, locale }: Settled): string =>
  [
    say(key, { name: request.settled_by?.name ?? say("someone") }),
    request.settled_at && when(request.settled_at, locale),
  ]
    .filter(Boolean)
    .join(" · ");

/** What became of what this person did, and what this person had entered: nothing is dropped in silence (K2). */
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
