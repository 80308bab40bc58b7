/** Notifications of the browser, while a tab is open and nobody looks at it. */

import type { InputRequest } from "../core/generated/wire.ts";
import type { GetText } from "../elements/text.ts";
import type { InboxStore } from "./store.ts";

const STORAGE_KEY = "askback-notify";
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
    return Notification.permission === "granted" && localStorage.getItem(STORAGE_KEY) ? "on" : "off";
  },
  /** Turn them on or off after a press; the browser asks the person the first time. */
  async setEnabled(isEnabled: boolean, getText: GetText): Promise<void> {
    localStorage.removeItem(STORAGE_KEY);
    if (!isEnabled || (await Notification.requestPermission()) !== "granted") return;
    localStorage.setItem(STORAGE_KEY, "on");
    show(getText("app.notify_on"), getText("app.notify_what"));
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
  #knownIds: ReadonlySet<string> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #notification: Notification | undefined;
  #lastShownAt = 0;

  constructor(
    private readonly inbox: InboxStore,
    private readonly getText: () => GetText,
    private readonly open: (request: string) => void,
  ) {
    inbox.addEventListener("change", () => this.#follow());
    addEventListener("focus", () => this.#follow());
  }

  #follow(): void {
    const { mine, loading } = this.inbox;
    if (mine.length === 0) this.#notification?.close();
    const isWatched = document.visibilityState === "visible" && document.hasFocus();
    if (loading || isWatched || !this.#knownIds) this.#knownIds = new Set(mine.map(({ id }) => id));
    else if (this.#newRequests().length > 0) this.#timer ??= setTimeout(() => this.#show(), PAUSE_MS);
  }

  #newRequests(): readonly InputRequest[] {
    return this.inbox.mine.filter(({ id }) => !this.#knownIds?.has(id));
  }

  #show(): void {
    this.#timer = undefined;
    const [request, ...otherRequests] = this.#newRequests();
    if (!request || notifications.state !== "on") return;
    const getText = this.getText();
    const name = request.requester?.name ?? getText("app.notify_somebody");
    const kind = KINDS.includes(request.kind) ? request.kind : "other";
    const count = otherRequests.length + 1;
    const isNew = Date.now() - this.#lastShownAt > BURST_MS;
    this.#notification =
      count > 1
        ? show(getText("app.notify_many", { count }), getText("app.notify_what"), isNew)
        : show(getText("app.notify_one", { name }), getText(`app.notify_${kind}`), isNew);
    if (isNew) this.#lastShownAt = Date.now();
    if (!this.#notification) return;
    this.#notification.onclick = () => {
      focus();
      this.#notification?.close();
      this.open(count > 1 ? "" : request.id);
    };
  }
}
