/** Notifications of the browser, while a tab is open and nobody looks at it. */

import type { InputRequest } from "../core/generated/wire.ts";
import type { Say } from "../elements/text.ts";
import type { InboxStore } from "./store.ts";

const STORED = "askback-notify";
/** All of them have one tag, so that there is one notification, also with several tabs. */
const TAG = "askback";
/** What somebody answers within this time is not worth a notification. */
const PAUSE_MS = 3_000;
/** What comes later within this time changes the notification that is shown, without another sound. */
const BURST_MS = 20_000;
const KINDS = ["approval", "form", "secret", "action"];

function show(title: string, body: string, renotify = false): Notification | undefined {
  try {
    return new Notification(title, { body, tag: TAG, renotify } as NotificationOptions);
  } catch {
    return undefined; // some browsers of phones have the class and show nothing by it
  }
}

export const notifications = {
  /** Whether this browser shows them: `on`, `off`, `denied` by the browser's own settings, or `unsupported`. */
  get state(): "on" | "off" | "denied" | "unsupported" {
    if (typeof Notification === "undefined") return "unsupported";
    if (Notification.permission === "denied") return "denied";
    return Notification.permission === "granted" && localStorage.getItem(STORED) ? "on" : "off";
  },
  /** Turn them on or off after a press; the browser asks the person the first time. */
  async turn(on: boolean, say: Say): Promise<void> {
    localStorage.removeItem(STORED);
    if (!on || (await Notification.requestPermission()) !== "granted") return;
    localStorage.setItem(STORED, "on");
    show(say("app.notify_on"), say("app.notify_what"));
  },
};

/**
 * Shows that requests wait: who asks and what kind it is, and never what they are about.
 *
 * A title, an input or an address may contain a secret, and anybody who sees the screen can read a
 * notification.
 */
export class Notifier {
  /** Those that were there before, or that the person has seen or heard of. */
  #known: ReadonlySet<string> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #shown: Notification | undefined;
  #last = 0;

  constructor(
    private readonly inbox: InboxStore,
    private readonly say: () => Say,
    private readonly open: (request: string) => void,
  ) {
    inbox.addEventListener("change", () => this.#follow());
    addEventListener("focus", () => this.#follow());
  }

  #follow(): void {
    const { mine, loading } = this.inbox;
    if (mine.length === 0) this.#shown?.close();
    const watched = document.visibilityState === "visible" && document.hasFocus();
    if (loading || watched || !this.#known) this.#known = new Set(mine.map(({ id }) => id));
    else if (this.#fresh().length > 0) this.#timer ??= setTimeout(() => this.#show(), PAUSE_MS);
  }

  #fresh(): readonly InputRequest[] {
    return this.inbox.mine.filter(({ id }) => !this.#known?.has(id));
  }

  #show(): void {
    this.#timer = undefined;
    const [request, ...others] = this.#fresh();
    if (!request || notifications.state !== "on") return;
    const say = this.say();
    const name = request.requester?.name ?? say("app.notify_somebody");
    const kind = KINDS.includes(request.kind) ? request.kind : "other";
    const count = others.length + 1;
    const isNew = Date.now() - this.#last > BURST_MS;
    this.#shown =
      count > 1
        ? show(say("app.notify_many", { count }), say("app.notify_what"), isNew)
        : show(say("app.notify_one", { name }), say(`app.notify_${kind}`), isNew);
    if (isNew) this.#last = Date.now();
    if (!this.#shown) return;
    this.#shown.onclick = () => {
      focus();
      this.#shown?.close();
      this.open(count > 1 ? "" : request.id);
    };
  }
}
