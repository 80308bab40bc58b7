import "./texts.ts";
import { allFields, type InputRequest } from "../../core/wire.ts";
import type { Draft } from "../draft.ts";
import type { Attempt, Keep, Shelf } from "../keep.ts";
import type { Sender } from "../kind.ts";
import { answerLine } from "../show.ts";
import type { Say } from "../text.ts";
import { changedEntries, Drafts, keptEntries } from "./drafts.ts";
import { Repeater } from "./repeater.ts";

/** Keeps drafts of who is signed in, and sends again what could not be sent. */
export class Keeping implements Keep {
  readonly #drafts: Drafts;

  constructor(shelf: Shelf, person: string) {
    this.#drafts = new Drafts(shelf, person);
  }

  get on(): boolean {
    return this.#drafts.on;
  }

  readText(id: string): string {
    const text = this.#drafts.read(id);
    return typeof text === "string" ? text : "";
  }

  writeText(id: string, text: string): void {
    this.#drafts.write(id, text || undefined);
  }

  readDraft({ id, form }: InputRequest): Draft | undefined {
    return keptEntries(form ?? {}, this.#drafts.read(id));
  }

  writeDraft({ id, form }: InputRequest, draft: Draft, start: Draft): void {
    this.#drafts.write(id, changedEntries(form ?? {}, draft, start));
  }

  forget(id: string): void {
    this.#drafts.forget(id);
  }

  stop(): void {
    this.#drafts.stop();
  }

  repeat(client: Sender, { body }: Attempt, send: () => void, changed: () => void): Repeater {
    return new Repeater(client, send, "decision" in body, changed);
  }

  describe({ form }: InputRequest, { body }: Attempt, say: Say, locale: string): string {
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
