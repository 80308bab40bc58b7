import { isSame, type Person } from "../../core/audience.ts";
import type { InputRequest } from "../../core/generated/wire.ts";
import type { Origin, View } from "../../core/machine.ts";
import type { Locale } from "../../core/messages.ts";
import { shorten } from "../../core/path.ts";
import { html, type Template } from "../html.ts";
import { draw, icons } from "../icons.ts";
import { questionOf } from "../labels.ts";
import { crossIcon, tickIcon } from "../statusicons.ts";
import { type GetText, momentText } from "../text.ts";

/** How many characters of a call are shown in the line that opens to it. */
const MAX_CALL_LENGTH = 120;
const DOWN_ICON = draw("M6 9l6 6 6-6");
const SKIP = draw("M5 6l7 6-7 6zM17 6v12");

/** The outcome of this person's submission, as a key of the catalogue. */
type Fate = "lost" | "lost_self" | "unused" | "elsewhere";

/** Return what happened to this person's submission, unless the receipt shows it anyway. */
function fateOf(
  origin: Origin,
  { status, settled_by }: InputRequest,
  unused: boolean,
  me: Person | undefined,
): Fate | false {
  const own = !!me && isSame(me, settled_by);
  if (origin === "lost" && own) return "lost_self";
  if (unused || (origin === "lost" && ["cancelled", "expired"].includes(status))) return "unused";
  if (origin === "lost") return origin;
  return origin === "elsewhere" && own && status === "answered" && origin;
}

/** The element that shows it. */
export interface SettledHost {
  readonly view: View;
  readonly getText: GetText;
  readonly locale: Locale;
  readonly readonly: boolean;
  /** Whether a receipt is unfolded at first. */
  readonly unfolded?: boolean;
  readonly client:
    | { post?<T>(path: string, body: unknown, key: string): Promise<T>; readonly now?: number }
    | undefined;
  redraw(): void;
}

/** A request that has ended, and what its receipt shows besides. */
export class SettledRequest {
  constructor(
    readonly host: SettledHost,
    readonly request: InputRequest,
    readonly unused: boolean,
    readonly unsent: string,
    readonly me: Person | undefined,
  ) {}

  get getText(): GetText {
    return this.host.getText;
  }

  get locale(): Locale {
    return this.host.locale;
  }

  /** The same for a request that shows less, or something else. */
  showing(request: InputRequest): SettledRequest {
    return new SettledRequest(this.host, request, this.unused, this.unsent, this.me);
  }

  /** The person who ended it, and the time; `key` names the sentence. */
  byline(key: string): string {
    const { request, getText, locale } = this;
    return [
      getText(key, { name: request.settled_by?.name ?? getText("someone") }),
      request.settled_at && momentText(request.settled_at, locale),
    ]
      .filter(Boolean)
      .join(" · ");
  }

  /** The outcome of this person's submission, and any unsent text: nothing is dropped silently (K2). */
  drawLate(): Template {
    const { host, request, getText, unused, unsent, me } = this;
    const fate = fateOf(host.view.origin, request, unused, me);
    return html`${fate && html`<span class="by"><strong>${getText(fate)}</strong></span>`}${
      unsent && html`<span class="by">${getText("unsent", { text: unsent })}</span>`
    }`;
  }

  /** The mark before a line. */
  drawMark(done: boolean): Template {
    return html`<span class=${done ? "tick" : "no"}>${done ? tickIcon : crossIcon}</span>`;
  }

  /** A request that ended without an answer, and why; it opens to `more`. */
  drawEnded(more?: Template): Template {
    const { request, getText, locale } = this;
    const { status, reason, note, settled_at } = request;
    const icon = status === "expired" ? icons.clock : reason === "skipped" ? SKIP : crossIcon;
    const key =
      status === "expired"
        ? status
        : `${status}.${reason ?? (status === "declined" ? "dismissed" : "failed")}`;
    const line = html`${icon}
      <div class="line">
        <p><strong>${more ? shorten(questionOf(request, locale), MAX_CALL_LENGTH) : questionOf(request, locale)}</strong></p>
        <p class="by">${status === "declined" ? this.byline(key) : getText(key)}</p>
        ${status !== "declined" && settled_at && html`<p class="by">${momentText(settled_at, locale)}</p>`}
        ${note && html`<p class="by">“${note}”</p>`} ${this.drawLate()}
      </div>`;
    return this.drawLine(line, more);
  }

  /** A settled request as one line that opens to `more`, or one that does not. */
  drawLine(line: Template, more?: Template | false): Template {
    return more
      ? html`<details class="card" part="card" open=${!!this.host.unfolded && ""}>
          <summary>${line}<span class="chevron">${DOWN_ICON}</span></summary>
          ${more}
        </details>`
      : html`<div class="card plain" part="card" tabindex="-1">${line}</div>`;
  }
}
