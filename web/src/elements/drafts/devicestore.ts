import type { Field, InputRequest } from "../../core/generated/wire.ts";
import "./texts.ts";
import { WireError } from "../../client/errors.ts";
import { allFields } from "../../core/form.ts";
import {
  type Attempt,
  type DraftStore,
  EDITED_PREFIX,
  type RemovedText,
  type Retry,
  type TextStorage,
} from "../drafttypes.ts";
import type { Draft } from "../entries.ts";
import type { Sender } from "../kind.ts";
import type { GetText } from "../text.ts";
import { answerLine } from "./answers.ts";
import "./notice.ts";
import { RetryScheduler } from "./retry.ts";
import { DraftStorage, removedEntries, storedEntries, unsentAnswer, withEntry } from "./storage.ts";

/** Where an answer is stored that has not arrived. */
const UNSENT_PREFIX = "unsent/";

/** Stores the drafts of one person in `localStorage`, and sends again what could not be sent. */
export class DeviceDraftStore implements DraftStore {
  readonly #storage: DraftStorage;

  constructor(storage: TextStorage, person: string) {
    this.#storage = new DraftStorage(storage, person);
  }

  get enabled(): boolean {
    return this.#storage.enabled;
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

  readRemoved({ id, form }: InputRequest): readonly RemovedText[] {
    return removedEntries(form ?? {}, this.#storage.read(id)).map(([, { text }, label]) => ({ label, text }));
  }

  writeDraft({ id, form }: InputRequest, field: Field, draft: Draft, initial: Draft): void {
    const entries = withEntry(this.#storage.read(id), form ?? {}, field, draft, initial);
    this.#storage.write(id, entries.length > 0 ? entries : undefined);
  }

  writeUnsent({ id, form }: InputRequest, attempt?: Attempt): void {
    const { action, body = {}, key } = attempt ?? {};
    const isKept = action === "answer" && "values" in body && !allFields(form ?? {}).some(isSensitive);
    this.#storage.write(UNSENT_PREFIX + id, isKept ? { key, body } : undefined);
  }

  /**
   * Send the answers that had not arrived when a page was left, and again at the next change of the connection if they do
   * not arrive now. A tab that is still open may send them too, with the same key.
   */
  async sendUnsent(client: Sender): Promise<void> {
    const names = this.#storage.idsWithPrefix(UNSENT_PREFIX);
    const isOver = await Promise.all(names.map((name) => this.#sendUnsent(client, name)));
    if (isOver.includes(false))
      client.addEventListener?.("link", () => void this.sendUnsent(client), { once: true });
  }

  /** Send one answer, and return whether it has arrived or never will. */
  async #sendUnsent(client: Sender, name: string): Promise<boolean> {
    const id = name.slice(UNSENT_PREFIX.length);
    const answer = unsentAnswer(this.#storage.read(name));
    try {
      if (answer) {
        await client.send(id, "answer", answer.body, answer.key);
        this.forget(id);
      }
    } catch (error) {
      if (!(error instanceof WireError && error.final)) return false;
    }
    this.#storage.forget(name);
    return true;
  }

  forget(id: string): void {
    for (const prefix of ["", UNSENT_PREFIX, EDITED_PREFIX]) this.#storage.forget(prefix + id);
  }

  stop(): void {
    this.#storage.stop();
  }

  retry(client: Sender, { body }: Attempt, send: () => void, changed: () => void): Retry {
    return new RetryScheduler(client, send, "decision" in body, changed);
  }

  explain(
    request: InputRequest,
    attempt: Attempt,
    retry: Retry | undefined,
    getText: GetText,
    locale: string,
  ): readonly string[] {
    const description = getText("drafts.what", { what: this.#describe(request, attempt, getText, locale) });
    return retry ? [getText(retry.active ? "drafts.waits" : "drafts.old"), description] : [description];
  }

  #describe({ form }: InputRequest, { body }: Attempt, getText: GetText, locale: string): string {
    if ("outcome" in body) return getText(`drafts.${body.outcome}`);
    if ("data" in body) return JSON.stringify(body.data);
    if ("reason" in body) return getText(body.reason === "skipped" ? "skip" : "dismiss");
    if ("names" in body) return body.names.join(", ");
    if ("decision" in body) {
      const { decision, scope = "once" } = body;
      if (decision === "deny") return getText(scope === "once" ? "approval.deny" : "approval.yes_never");
      return getText(`approval.${scope === "always" ? "yes_always" : scope}`);
    }
    const hiddenIds = allFields(form ?? {}).flatMap(({ id, sensitive }) => (sensitive ? [id] : []));
    const values = Object.entries(body.values).filter(([id]) => !hiddenIds.includes(id));
    return answerLine(
      { ...form, completed_view: null },
      { values: Object.fromEntries(values) },
      locale,
      getText,
    );
  }
}

const isSensitive = ({ sensitive }: Field): boolean => !!sensitive;

/** The kind of a request stays as it is: the words for its values are here. */
export const mixins = { drafts: <T>(Inner: T): T => Inner };
