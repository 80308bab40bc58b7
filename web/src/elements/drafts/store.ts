import type { InputRequest } from "../../core/generated/wire.ts";
import "./texts.ts";
import { allFields } from "../../core/form.ts";
import type { Draft } from "../draft.ts";
import type { Attempt, DraftStore, Retry, TextStorage } from "../drafts.ts";
import type { Sender } from "../kind.ts";
import type { Say } from "../text.ts";
import { answerLine } from "./answers.ts";
import { RetryScheduler } from "./retry.ts";
import { changedEntries, DraftStorage, storedEntries } from "./storage.ts";

/** Stores the drafts of one person in `localStorage`, and sends again what could not be sent. */
export class DeviceDraftStore implements DraftStore {
  readonly #storage: DraftStorage;

  constructor(storage: TextStorage, person: string) {
    this.#storage = new DraftStorage(storage, person);
  }

  get on(): boolean {
    return this.#storage.on;
  }

  readText(id: string): string {
    const text = this.#storage.read(id);
    return typeof text === "string" ? text : "";
  }

  writeText(id: string, text: string): void {
    this.#storage.write(id, text || undefined);
  }

  readDraft({ id, form }: InputRequest): Draft | undefined {
    return storedEntries(form ?? {}, this.#storage.read(id));
  }

  writeDraft({ id, form }: InputRequest, draft: Draft, initial: Draft): void {
    this.#storage.write(id, changedEntries(form ?? {}, draft, initial));
  }

  forget(id: string): void {
    this.#storage.forget(id);
  }

  stop(): void {
    this.#storage.stop();
  }

  retry(client: Sender, { body }: Attempt, send: () => void, changed: () => void): Retry {
    return new RetryScheduler(client, send, "decision" in body, changed);
  }

  describe({ form }: InputRequest, { body }: Attempt, say: Say, locale: string): string {
    if ("outcome" in body) return say(`drafts.${body.outcome}`);
    if ("data" in body) return JSON.stringify(body.data);
    if ("reason" in body) return say(body.reason === "skipped" ? "skip" : "dismiss");
    if ("names" in body) return body.names.join(", ");
    if ("decision" in body) {
      const { decision, scope = "once" } = body;
      if (decision === "deny") return say(scope === "once" ? "approval.deny" : "approval.yes_never");
      return say(`approval.${scope === "always" ? "yes_always" : scope}`);
    }
    const hidden = allFields(form ?? {}).flatMap(({ id, sensitive }) => (sensitive ? [id] : []));
    const values = Object.entries(body.values).filter(([id]) => !hidden.includes(id));
    return answerLine({ ...form, completed_view: null }, { values: Object.fromEntries(values) }, locale, say);
  }
}

/** The kind of a request stays as it is: the words for its values are here. */
export const additions = { drafts: <T>(Inner: T): T => Inner };
