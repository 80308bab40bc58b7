import { WireError } from "../client/errors.ts";
import { newKey } from "../client/key.ts";
import { html, type Template } from "../elements/html.ts";
import { PlaceElement } from "./place.ts";
import { pathOf } from "./router.ts";
import { drawHeading } from "./ui/heading.ts";
import { drawError, drawLoading } from "./ui/states.ts";
import { type Chip, drawChips } from "./ui/toolbar.ts";

/** The place, as its sections use it. */
export interface Host extends PlaceElement {
  /** The name of the place, with which its texts begin. */
  readonly name: string;
  read(): Promise<void>;
}

/** A part of a place, with what can be done in it. */
export abstract class Section {
  /** The roles that may see it; everybody if there are none. */
  readonly roles?: readonly string[];

  #busy = false;

  constructor(protected readonly host: Host) {}

  /** Read what it shows; rejects with a `WireError`. */
  abstract read(): Promise<void>;
  /** Draw it; undefined until it has been read. */
  abstract draw(): Template | undefined;

  drawActions(): Template | false {
    return false;
  }

  /** Draw what is open above it. */
  drawDialog(): Template | false {
    return false;
  }

  protected get isAdmin(): boolean {
    return this.host.app.me?.role === "admin";
  }

  protected getText(key: string, params?: Record<string, unknown>): string {
    return this.host.getText(`${this.host.name}.${key}`, params);
  }

  /**
   * Change something and read the section again; a refusal is shown in its own words. Returns the reply.
   * `done` is said afterwards.
   *
   * One change at a time: nothing happens while another one is on its way.
   */
  protected async change<T>(
    method: "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    body: unknown = {},
    done = "",
  ): Promise<T | undefined> {
    if (this.#busy) return undefined;
    const { client } = this.host.app;
    this.#busy = true;
    try {
      const reply =
        method === "POST"
          ? await client.post<T>(path, body, newKey())
          : await client.change<T>(method, path, method === "DELETE" ? undefined : body);
      if (done) this.host.app.toast({ text: done });
      return reply;
    } catch (error) {
      const message = error instanceof WireError && (error.fieldErrors[0]?.message || error.message);
      this.host.app.toast({ text: message || this.host.getText("app.not_done") });
      return undefined;
    } finally {
      this.#busy = false;
      await this.host.read();
    }
  }
}

/** A place of sections: the first has the address of the place, the others theirs below it. */
export abstract class SectionedPlace extends PlaceElement implements Host {
  abstract readonly name: string;
  /** By name, which is also the last part of the address; the label is `ui.{place}.{name}`. */
  protected abstract readonly sections: Readonly<Record<string, Section>>;
  /** The names of the section that was read last, and of the one that could not be read. */
  #readNames = "";
  #failedName = "";

  get heading(): string {
    return this.getText(`app.${this.name}`);
  }

  /** The sections that this person may see. */
  get #names(): string[] {
    const role = this.app.me?.role ?? "";
    return Object.entries(this.sections).flatMap(([name, { roles }]) =>
      !roles || roles.includes(role) ? [name] : [],
    );
  }

  get #shownName(): string {
    const names = this.#names;
    return names.includes(this.item) ? this.item : (names[0] ?? "");
  }

  /** Also when it becomes known who is signed in, and with that which sections there are. */
  protected override willUpdate(): void {
    if (this.#readNames !== this.#shownName) void this.read();
  }

  /** Reload the section. */
  async read(): Promise<void> {
    const name = this.#shownName;
    this.#readNames = name;
    this.#failedName = "";
    await this.sections[name]?.read().catch(() => {
      this.#failedName = name;
    });
    this.redraw();
  }

  protected override render(): Template {
    const { getText } = this;
    const name = this.#shownName;
    const section = this.sections[name];
    const names = this.#names;
    const chips = (): Chip[] => names.map((id) => ({ id, label: getText(`${this.name}.${id}`) }));
    const open = (id: string): void => this.app.go(pathOf(this.name, id === names[0] ? "" : id));
    return html`<div class="page">
      ${drawHeading(this.heading, getText(`${this.name}.about_${name}`), section?.drawActions())}
      ${names.length > 1 && drawChips(getText(`${this.name}.sections`), chips(), name, open)}
      ${this.#failedName === name ? drawError(getText, () => void this.read()) : (section?.draw() ?? drawLoading(getText))}
      ${section?.drawDialog()}
    </div>`;
  }
}

export const encode = encodeURIComponent;

/** A list that comes in pages. */
export abstract class PagedSection<Item, Page extends { next_cursor: string | null }> extends Section {
  /** What has been read; undefined before the first page. */
  protected list: readonly Item[] | undefined;
  #nextCursor: string | null = null;
  #reading = false;

  /** The path of the list, and what a page of it holds. */
  protected abstract readonly path: string;
  protected abstract itemsOf(page: Page): readonly Item[];

  async read(): Promise<void> {
    this.list = await this.#page(this.path);
  }

  async #readMore(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    try {
      const more = await this.#page(`${this.path}?cursor=${encode(this.#nextCursor ?? "")}`);
      this.list = [...(this.list ?? []), ...more];
    } catch {
      this.host.app.toast({ text: this.host.getText("app.failed") });
    } finally {
      this.#reading = false;
    }
    this.host.redraw();
  }

  async #page(path: string): Promise<readonly Item[]> {
    const page = await this.host.app.client.get<Page>(path);
    this.#nextCursor = page.next_cursor;
    return this.itemsOf(page);
  }

  /** Draw the button that reads the next page; nothing at the end. */
  protected drawMore(): Template | false {
    return (
      this.#nextCursor !== null &&
      html`<button type="button" .onclick=${() => void this.#readMore()}>${this.host.getText("app.show_more")}</button>`
    );
  }
}

/** Return what the controls of a form hold, by their names, without spaces around it. */
export function read(form: HTMLFormElement): Partial<Record<string, string>> {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()]));
}
