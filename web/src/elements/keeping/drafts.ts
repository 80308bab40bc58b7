import { isObject } from "../../core/json.ts";
import { allFields, type Field, type Form } from "../../core/wire.ts";
import { type Draft, EMPTY, type Entry } from "../draft.ts";
import { DRAFTS, eraseDrafts, type Shelf } from "../keep.ts";

/** Set by "Not on this device". */
const OFF = "askback.drafts";
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * What one person has typed on this device: by request or thread, for a day after the last change.
 *
 * Each key is a person's and a request's. Tabs share it, and the last writer wins: what is kept is read only when a card
 * appears, so no tab changes what somebody is typing in another.
 */
export class Drafts {
  on: boolean;

  constructor(
    private readonly shelf: Shelf,
    private readonly person: string,
  ) {
    this.on = shelf.getItem(OFF) === null;
    eraseDrafts(shelf, (text) => !(Date.now() - Number(parsed(text)?.at) < DAY_MS));
  }

  read(id: string): unknown {
    return this.on ? parsed(this.shelf.getItem(this.#key(id)))?.draft : undefined;
  }

  /** Keep it, or forget it where there is nothing to keep. A full disk keeps nothing, and hinders nobody. */
  write(id: string, draft: unknown): void {
    if (!this.on) return;
    try {
      if (draft === undefined) this.forget(id);
      else this.shelf.setItem(this.#key(id), JSON.stringify({ at: Date.now(), draft }));
    } catch {
      this.forget(id);
    }
  }

  forget(id: string): void {
    this.shelf.removeItem(this.#key(id));
  }

  stop(): void {
    this.on = false;
    this.shelf.setItem(OFF, "off");
    eraseDrafts(this.shelf);
  }

  #key(id: string): string {
    return `${DRAFTS}${encodeURIComponent(this.person)}/${id}`;
  }
}

function parsed(text: string | null): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "null");
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Fields of which something may be kept on a device: none that is sensitive. */
const kept = (form: Form): Field[] => allFields(form).filter(({ sensitive }) => !sensitive);

/** The entries that the person has changed, ready to be kept; nothing where there are none. */
export function changedEntries(form: Form, draft: Draft, start: Draft): [string, Entry][] | undefined {
  const changed = kept(form).flatMap(({ id }): [string, Entry][] => {
    const entry = draft.get(id);
    return entry && JSON.stringify(entry) !== JSON.stringify(start.get(id) ?? EMPTY) ? [[id, entry]] : [];
  });
  return changed.length > 0 ? changed : undefined;
}

/** The entries that were kept, for the fields and options that the form has now. */
export function keptEntries(form: Form, draft: unknown): Draft | undefined {
  if (!Array.isArray(draft)) return undefined;
  const fields = new Map(kept(form).map((field) => [field.id, field]));
  const entries = draft.flatMap((item: unknown): [string, Entry][] => {
    const [id, entry] = Array.isArray(item) ? item : [];
    const field = fields.get(id);
    return field && isObject(entry) ? [[field.id, fitting(field, entry)]] : [];
  });
  return entries.length > 0 ? new Map(entries) : undefined;
}

function fitting(field: Field, { text, chosen, other, on }: Record<string, unknown>): Entry {
  const values = "options" in field ? field.options.map(({ value }) => value) : ["yes", "no"];
  return {
    text: typeof text === "string" ? text : "",
    chosen: Array.isArray(chosen) ? values.filter((value) => chosen.includes(value)) : [],
    other: other === true && "options" in field && field.allow_other === true,
    on: on === true,
  };
}
