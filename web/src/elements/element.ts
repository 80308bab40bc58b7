import { render, type Template } from "./html.ts";

/** The properties that were set since the last drawing, with what they were before. */
export type Changed = ReadonlyMap<string, unknown>;

/** Marks a style sheet's text; it holds no expressions. */
export const css = (text: TemplateStringsArray): string => text[0] ?? "";

const sheets = new Map<string, CSSStyleSheet>();

function sheetOf(text: string): CSSStyleSheet {
  const sheet = sheets.get(text) ?? new CSSStyleSheet();
  if (!sheets.has(text)) sheet.replaceSync(text);
  sheets.set(text, sheet);
  return sheet;
}

/**
 * An element that draws itself again when one of its properties is set.
 *
 * What a page set before the element was defined, and attributes, count as well.
 */
export abstract class AskbackElement extends HTMLElement {
  static styles: readonly string[] = [];
  /** The properties that cause a drawing, each with its attribute, or null where it has none. */
  static properties: Record<string, string | null> = {};

  protected readonly root = this.attachShadow({ mode: "open" });
  private readonly held = new Map<string, unknown>();
  private early: [string, unknown][] = [];
  private changed = new Map<string, unknown>();
  private queued = false;
  private first: () => void = () => {};
  private drawn = new Promise<void>((resolve) => {
    this.first = resolve;
  });
  /** Whether it was drawn before. */
  hasUpdated = false;

  /** Called once, by `customElements.define`: the moment to make the accessors. */
  static get observedAttributes(): string[] {
    // biome-ignore lint/complexity/noThisInStatic: `this` is the class of the element at hand, not this one
    const { properties, prototype } = this;
    for (const name of Object.keys(properties)) {
      Object.defineProperty(prototype, name, {
        configurable: true,
        get(this: AskbackElement) {
          return this.held.get(name);
        },
        set(this: AskbackElement, value: unknown) {
          const before = this.held.get(name);
          if (Object.is(before, value)) return;
          this.held.set(name, value);
          this.requestUpdate(name, before);
        },
      });
    }
    return Object.values(properties).filter((attribute) => attribute !== null);
  }

  constructor() {
    super();
    const { styles, properties } = this.constructor as typeof AskbackElement;
    this.root.adoptedStyleSheets = styles.map(sheetOf);
    // What a page set before the element was defined would hide the accessors.
    for (const name of Object.keys(properties)) {
      const own = Object.getOwnPropertyDescriptor(this, name);
      if (!own) continue;
      this.early.push([name, own.value]);
      Reflect.deleteProperty(this, name);
    }
  }

  connectedCallback(): void {
    Object.assign(this, Object.fromEntries(this.early));
    this.early = [];
    this.requestUpdate();
  }

  disconnectedCallback(): void {}

  attributeChangedCallback(attribute: string, _before: string | null, value: string | null): void {
    const { properties } = this.constructor as typeof AskbackElement;
    const name = Object.keys(properties).find((key) => properties[key] === attribute) ?? "";
    const kind = typeof this.held.get(name);
    Object.assign(this, {
      [name]: kind === "boolean" ? value !== null : kind === "number" ? Number(value) : (value ?? ""),
    });
  }

  /** Draw again soon; everything set until then is drawn at once. */
  requestUpdate(name?: string, before?: unknown): void {
    if (name && !this.changed.has(name)) this.changed.set(name, before);
    if (this.queued || !this.isConnected) return;
    this.queued = true;
    const drawing = Promise.resolve().then(() => this.update());
    if (this.hasUpdated) this.drawn = drawing;
    else void drawing.then(this.first);
  }

  /** Resolves when what was asked for is drawn. */
  get updateComplete(): Promise<void> {
    return this.drawn;
  }

  private update(): void {
    this.willUpdate(this.changed);
    const changed = this.changed;
    this.changed = new Map();
    render(this.render(), this.root);
    this.queued = false;
    this.hasUpdated = true;
    this.updated(changed);
  }

  /** Before a drawing: what is set here belongs to the same drawing. */
  protected willUpdate(_changed: Changed): void {}
  protected abstract render(): Template;
  /** After a drawing: what is set here asks for another. */
  protected updated(_changed: Changed): void {}
}

/**
 * Keep one child of `place` for each item, in the order of the items, and let `draw` fill it.
 *
 * A child is only moved when it stands in the wrong place, so that what is typed and the focus survive.
 */
export function drawList<T extends { id: string }>(
  place: Element | null | undefined,
  items: readonly T[],
  draw: (item: T, child: HTMLElement) => void,
): void {
  if (!place) return;
  const held = new Map(([...place.children] as HTMLElement[]).map((child) => [child.dataset.id, child]));
  items.forEach((item, at) => {
    const child = held.get(item.id) ?? document.createElement(place.localName === "div" ? "div" : "li");
    held.delete(item.id);
    child.dataset.id = item.id;
    if (place.children[at] !== child) place.insertBefore(child, place.children[at] ?? null);
    draw(item, child);
  });
  for (const gone of held.values()) gone.remove();
}
