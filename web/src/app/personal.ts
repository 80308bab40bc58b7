import type { Client } from "../client/client.ts";
import type { Follower } from "../client/connection.ts";
import { newKey } from "../client/key.ts";
import type { Socket } from "../client/socket.ts";
import type { InputRequest, ReminderList, RequestPage } from "../core/generated/wire.ts";

/** The delay before an event causes a read; several events in that time cause one. */
const RELOAD_DELAY_MS = 200;
/** The maximum delay of a browser's timer. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** What this person has put aside and what they have missed, on all their devices; fires `change`. */
export class PersonalStore extends EventTarget implements Follower {
  /** Expired requests that they have not seen, the last that expired first. */
  missedReminders: readonly InputRequest[] = [];
  /** When they are reminded, by request. */
  #reminders: ReadonlyMap<string, string> = new Map();
  /** The latest connection: what is missed while there is none is read with the next one. */
  #socket: Socket | undefined;
  #reminderTimer: ReturnType<typeof setTimeout> | undefined;
  #readTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly client: Client) {
    super();
    client.follow(this);
  }

  /** Until when a request is put aside; undefined if it is not. */
  remindedAt(id: string): string | undefined {
    const reminder = this.#reminders.get(id);
    return reminder && Date.parse(reminder) > this.client.now ? reminder : undefined;
  }

  isReminded(id: string): boolean {
    return this.remindedAt(id) !== undefined;
  }

  /** Put a request aside until a moment (RFC 3339), or take that back. */
  async remind(id: string, time: string | undefined): Promise<void> {
    const path = `/v1/requests/${encodeURIComponent(id)}/reminder`;
    if (time) await this.client.change("PUT", path, { at: time });
    else await this.client.change("DELETE", path);
    const reminders = new Map(this.#reminders);
    if (time) reminders.set(id, time);
    else reminders.delete(id);
    this.#setReminders(reminders);
  }

  /** Note that missed requests were seen. */
  async markSeen(ids: readonly string[]): Promise<void> {
    const seenRequests = this.missedReminders.filter(({ id }) => ids.includes(id));
    if (seenRequests.length === 0) return;
    this.missedReminders = this.missedReminders.filter((request) => !seenRequests.includes(request));
    this.#changed();
    await this.client
      .post("/v1/missed/seen", { request_ids: seenRequests.map(({ id }) => id) }, newKey())
      .catch(() => this.#readSoon());
  }

  async sync(socket: Socket): Promise<void> {
    this.#socket = socket;
    await this.#read();
  }

  event(event: { type: string }): void {
    if (event.type === "request.expired") this.#readSoon();
  }

  changed({ what }: { what: string }): void {
    if (what !== "comments") this.#readSoon();
  }

  refused(): void {}

  #readSoon(): void {
    this.#readTimer ??= setTimeout(() => {
      this.#readTimer = undefined;
      this.#read().catch(() => {});
    }, RELOAD_DELAY_MS);
  }

  async #read(): Promise<void> {
    const socket = this.#socket;
    if (!socket) return;
    const [{ reminders }, { requests }] = await Promise.all([
      socket.call<ReminderList>("list_reminders"),
      socket.call<RequestPage>("list_missed"),
    ]);
    this.missedReminders = requests;
    this.#setReminders(new Map(reminders.map(({ request_id, at }) => [request_id, at])));
  }

  /** A request comes back by itself when its time has come. */
  #setReminders(reminders: ReadonlyMap<string, string>): void {
    this.#reminders = reminders;
    clearTimeout(this.#reminderTimer);
    const times = [...reminders.values()].map((time) => Date.parse(time) - this.client.now);
    const nextDelay = Math.min(...times.filter((delay) => delay > 0));
    if (Number.isFinite(nextDelay))
      this.#reminderTimer = setTimeout(
        () => this.#setReminders(this.#reminders),
        Math.min(nextDelay + 50, MAX_TIMEOUT_MS),
      );
    this.#changed();
  }

  #changed(): void {
    this.dispatchEvent(new Event("change"));
  }
}
