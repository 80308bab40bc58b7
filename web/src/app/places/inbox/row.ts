import { audience, isSame, readOnlyReason } from "../../../core/audience.ts";
import type { InputRequest } from "../../../core/generated/wire.ts";
import { escapeText } from "../../../elements/approval/escapes.ts";
import { html, type Template } from "../../../elements/html.ts";
import { draw } from "../../../elements/icons.ts";
import type { App } from "../../place.ts";
import { isDue } from "./groups.ts";
import { agentOf, isDangerous, type Reader, type Sort, sortOf, titleOf, whyOf } from "./words.ts";

const MARKS: Record<Sort, Template> = {
  approval: draw("M12 3l8 3v6c0 4.500-3.400 7.700-8 9-4.600-1.300-8-4.500-8-9V6zM9 12l2.200 2.200L15.500 10"),
  question: draw("M9 9a3 3 0 1 1 4.200 2.800c-.8.4-1.200 1-1.200 1.900M12 17v.01"),
  secret: draw("M15.500 3a5.500 5.500 0 1 0 0 11 5.500 5.500 0 0 0 0-11M11.500 12.500L4 20M6 18l2.500 2.500"),
  action: draw("M9 5H5v14h14v-4M13 5h6v6M19 5l-8 8"),
};
const LOOKS: Record<Sort, string> = { approval: "", question: "ask", secret: "key", action: "ask" };

export interface Row {
  readonly app: App;
  readonly reader: Reader;
  readonly request: InputRequest;
  readonly href: string;
  readonly isOpen: boolean;
  readonly isSelected: boolean;
  /** Whether this person may answer it, so that it can be selected. */
  readonly isMine: boolean;
  toggle(): void;
}

/** Draw a row: what will happen, then who asks, where and why, and the time that is left or has passed. */
export function drawRow({ app, reader, request, href, isOpen, isSelected, isMine, toggle }: Row): Template {
  const { say } = reader;
  const { id, thread_id, created_at, expires_at, settled_at, status } = request;
  const sort = sortOf(request);
  const until = app.inbox.personal.until(id);
  const soon = !settled_at && !until && isDue(request, app.client.now);
  const why = readOnlyReason(request, app.me);
  const hindrance = why && say(`inbox.${why}`, { names: audience(request) });
  const states: Record<string, string> = { expired: say("inbox.expired"), resolving: say("checking") };
  const by = !hindrance && request.assignment?.assignees && request.assignment.by;
  const assigned = by && !(app.me && isSame(app.me, by)) && say("inbox.assigned_by", { name: by.name });
  const state = states[status] ?? (hindrance || whyOf(request, reader));
  const at = settled_at ?? until ?? (soon ? expires_at : created_at);
  const about = [agentOf(request), app.inbox.titleOf(thread_id), assigned, state].filter(Boolean).join(" · ");
  const title = titleOf(request, reader);
  const mark = isDangerous(request) ? "bad" : LOOKS[sort];
  return html`<a class=${hindrance ? "row read" : "row"} href=${href} aria-current=${isOpen && "true"}>
    <span class=${`mark ${mark}`} title=${say(`inbox.kind_${sort}`)}>${MARKS[sort]}</span>
    <span class="t">${escapeText(title)}</span>
    <askback-time class=${soon ? "when soon" : "when"} look=${(soon || !!until) && "left"} at=${at}></askback-time>
    <span class="s">${escapeText(about)}</span>
  </a>
  ${isMine && html`<input type="checkbox" class="pick" aria-label=${say("inbox.select_this", { title })} .checked=${isSelected} .onchange=${toggle} />`}`;
}
