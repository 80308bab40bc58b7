/** Times that go on by themselves. */

import { Client } from "../../client/client.ts";
import { localeOf, sayIn, variantOf } from "../../elements/text.ts";
import { ago, countdown, duration, MINUTE } from "./durations.ts";
import { perLocale } from "./formats.ts";

const full = perLocale(
  (locale) => new Intl.DateTimeFormat(variantOf(locale), { dateStyle: "full", timeStyle: "medium" }),
);

/** A moment in full, for the title of a relative time. */
export const exact = (iso: string, locale: string): string => full(locale).format(new Date(iso));

const shown = new Set<LiveTime>();
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
  #titled = "";

  connectedCallback(): void {
    shown.add(this);
    timer ??= setInterval(() => {
      for (const each of shown) {
        each.draw();
        each.entitle();
      }
    }, 1_000);
    this.draw();
  }

  disconnectedCallback(): void {
    shown.delete(this);
    if (shown.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  attributeChangedCallback(): void {
    if (this.isConnected) this.draw();
  }

  /** Set the title to the exact time: a second later, because formatting it takes longer than drawing the rest of a row. */
  entitle(): void {
    const at = this.getAttribute("at");
    const locale = localeOf(this);
    const next = `${at} ${locale}`;
    if (!at || this.#titled === next) return;
    this.#titled = next;
    this.title = exact(at, locale);
  }

  draw(): void {
    const at = this.getAttribute("at");
    if (!at) return;
    const look = this.getAttribute("look");
    const locale = localeOf(this);
    const seconds = (Client.shared.now - Date.parse(at)) / 1_000;
    let text: string;
    if (look === "left") text = countdown(-seconds, locale);
    else if (seconds < MINUTE) text = sayIn(locale)("app.now");
    else text = look === "long" ? ago(seconds, locale) : duration(seconds, locale);
    if (this.textContent !== text) this.textContent = text;
  }
}
