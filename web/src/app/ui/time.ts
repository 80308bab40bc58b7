/** Times that update themselves. */

import { Client } from "../../client/client.ts";
import { getTextIn, localeOf, variantOf } from "../../elements/text.ts";
import { ago, countdown, duration, MINUTE } from "./durations.ts";
import { perLocale } from "./formats.ts";

const fullFormat = perLocale(
  (locale) => new Intl.DateTimeFormat(variantOf(locale), { dateStyle: "full", timeStyle: "medium" }),
);

/** A moment in full, for the title of a relative time. */
const exactText = (iso: string, locale: string): string => fullFormat(locale).format(new Date(iso));

const liveTimes = new Set<LiveTime>();
let timer: ReturnType<typeof setInterval> | undefined;

/**
 * How long ago `at` was, or with `look="left"` how long until then, kept current; its title is the exact time.
 *
 * @tag askback-time
 * @attr at - the moment, RFC 3339
 * @attr look - `left` counts down, `long` writes "3 minutes ago"; otherwise it is "3 min"
 */
export class LiveTime extends HTMLElement {
  static observedAttributes = ["at", "look"];
  /** The moment and the language of the title. */
  #tooltipKey = "";

  connectedCallback(): void {
    liveTimes.add(this);
    timer ??= setInterval(() => {
      for (const item of liveTimes) {
        item.draw();
        item.setTooltip();
      }
    }, 1_000);
    this.draw();
  }

  disconnectedCallback(): void {
    liveTimes.delete(this);
    if (liveTimes.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  attributeChangedCallback(): void {
    if (this.isConnected) this.draw();
  }

  /** Set the title to the exact time: a second later, because formatting it takes longer than drawing the rest of a row. */
  setTooltip(): void {
    const iso = this.getAttribute("at");
    const locale = localeOf(this);
    const tooltipKey = `${iso} ${locale}`;
    if (!iso || this.#tooltipKey === tooltipKey) return;
    this.#tooltipKey = tooltipKey;
    this.title = exactText(iso, locale);
  }

  draw(): void {
    const iso = this.getAttribute("at");
    if (!iso) return;
    const style = this.getAttribute("look");
    const locale = localeOf(this);
    const seconds = (Client.shared.now - Date.parse(iso)) / 1_000;
    let text: string;
    if (style === "left") text = countdown(-seconds, locale);
    else if (seconds < MINUTE) text = getTextIn(locale)("app.now");
    else text = style === "long" ? ago(seconds, locale) : duration(seconds, locale);
    if (this.textContent !== text) this.textContent = text;
  }
}
