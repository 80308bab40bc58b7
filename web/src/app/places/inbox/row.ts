import { audience, isSame, readOnlyReason } from "../../../core/audience.ts";
import type { InputRequest } from "../../../core/generated/wire.ts";
import { escapeText } from "../../../elements/approval/escapes.ts";
import { html, type Template } from "../../../elements/html.ts";
import { draw } from "../../../elements/icons.ts";
import type { App } from "../../place.ts";
import { endsSoon } from "./groups.ts";
import {
  agentOf,
  detailOf,
  isDangerous,
  type KindGroup,
  kindGroupOf,
  type Reader,
  titleOf,
} from "./words.ts";

const KIND_ICONS: Record<KindGroup, Template> = {
  approval: draw("M12 3l8 3v6c0 4.500-3.400 7.700-8 9-4.600-1.300-8-4.500-8-9V6zM9 12l2.200 2.200L15.500 10"),
  question: draw("M9 9a3 3 0 1 1 4.200 2.800c-.8.4-1.200 1-1.200 1.900M12 17v.01"),
  secret: draw("M15.500 3a5.500 5.500 0 1 0 0 11 5.500 5.500 0 0 0 0-11M11.500 12.500L4 20M6 18l2.500 2.500"),
  action: draw("M9 5H5v14h14v-4M13 5h6v6M19 5l-8 8"),
};
const ICON_CLASSES: Record<KindGroup, string> = {
  approval: "",
  question: "ask",
  secret: "key",
  action: "ask",
};

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
  const { getText } = reader;
  const { id, thread_id, created_at, expires_at, settled_at, status } = request;
  const sort = kindGroupOf(request);
  const remindedAt = app.inbox.personal.remindedAt(id);
  const isDueSoon = !settled_at && !remindedAt && endsSoon(request, app.client.now);
  const readOnlyCode = readOnlyReason(request, app.me);
  const readOnlyText = readOnlyCode && getText(`inbox.${readOnlyCode}`, { names: audience(request) });
  const states: Record<string, string> = {
    expired: getText("inbox.expired"),
    resolving: getText("checking"),
  };
  const assigner = !readOnlyText && request.assignment?.assignees && request.assignment.by;
  const assigned =
    assigner &&
    !(app.me && isSame(app.me, assigner)) &&
    getText("inbox.assigned_by", { name: assigner.name });
  const state = states[status] ?? (readOnlyText || detailOf(request, reader));
  const shownTime = settled_at ?? remindedAt ?? (isDueSoon ? expires_at : created_at);
  const details = [agentOf(request), app.inbox.titleOf(thread_id), assigned, state]
    .filter(Boolean)
    .join(" · ");
  const title = titleOf(request, reader);
  const mark = isDangerous(request) ? "bad" : ICON_CLASSES[sort];
  return html`<a class=${readOnlyText ? "row read" : "row"} href=${href} aria-current=${isOpen && "true"}>
    <span class=${`mark ${mark}`} role="img" title=${getText(`inbox.kind_${sort}`)}>${KIND_ICONS[sort]}</span>
    <span class="t">${escapeText(title)}</span>
    <askback-time class=${isDueSoon ? "when soon" : "when"} look=${(isDueSoon || !!remindedAt) && "left"} at=${shownTime}></askback-time>
    <span class="s">${escapeText(details)}</span>
  </a>
  ${isMine && html`<label class="picker"><input type="checkbox" class="pick" aria-label=${getText("inbox.select_this", { title })} .checked=${isSelected} .onchange=${toggle} /></label>`}`;
}
