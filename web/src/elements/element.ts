import { type Locale, loadTexts } from "../core/messages.ts";
import { move, render, type Template } from "./html.ts";
import { type GetText, getTextIn, localeOf } from "./text.ts";

/** The properties that were set since the last drawing, with what they were before. */
export type ChangedProperties = ReadonlyMap<string, unknown>;

/** The elements on the page. */
const connectedElements = new Set<AskbackElement>();
let isWatchingLanguage = false;

/** Draw again in another language when a `lang` attribute changes, whatever is typed meanwhile. */
function watchLanguage(): void {
  if (isWatchingLanguage) return;
  isWatchingLanguage = true;
  const onLanguageChange = (): void => {
    for (const element of connectedElements) element.relabel();
  };
  const observerOptions = { attributeFilter: ["lang"], subtree: true };
  new MutationObserver(onLanguageChange).observe(document, observerOptions);
}

/** Fills a style sheet that elements have already. */
export const replaceStyles =
  (sheet: CSSStyleSheet) =>
  ([text = ""]: TemplateStringsArray): CSSStyleSheet => {
    sheet.replaceSync(text);
    return sheet;
  };

/** Makes a style sheet; it holds no expressions. */
export const css = (text: TemplateStringsArray): CSSStyleSheet => replaceStyles(new CSSStyleSheet())(text);

const attributeName = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/**
 * An element that draws itself again when one of its properties is set.
 *
 * Properties that a page set before the element was defined are applied as well.
 */
export abstract class AskbackElement extends HTMLElement {
  static styles: CSSStyleSheet[] = [];
  /** The properties that cause a drawing, with what they are at first; each but an object has an attribute too. */
  static properties: Record<string, unknown> = {};

  readonly root = this.attachShadow({ mode: "open" });
  readonly #properties = new Map<string, unknown>();
  #changed = new Map<string, unknown>();
  #updateQueued = false;
  locale: Locale = "en";
  getText: GetText = getTextIn("en");
  /** Resolves when the requested update is drawn. */
  updateComplete: Promise<void> = Promise.resolve();

  /** Called once, by `customElements.define`: the moment to make the accessors. */
  static get observedAttributes(): string[] {
    // biome-ignore lint/complexity/noThisInStatic: `this` is the class of the element at hand, not this one
    const { properties, prototype } = this;
    for (const name of Object.keys(properties)) {
      Object.defineProperty(prototype, name, {
        get(this: AskbackElement) {
          return this.#properties.get(name);
        },
        set(this: AskbackElement, value: unknown) {
          const previousValue = this.#properties.get(name);
          if (Object.is(previousValue, value)) return;
          this.#properties.set(name, value);
          if (!this.#changed.has(name)) this.#changed.set(name, previousValue);
          this.redraw();
        },
      });
    }
    return Object.keys(properties)
      .filter((name) => properties[name] !== undefined && !(properties[name] instanceof Object))
      .map(attributeName);
  }

  constructor() {
    super();
    const { styles, properties } = this.constructor as typeof AskbackElement;
    this.root.adoptedStyleSheets = styles;
    const presetProperties = Object.fromEntries(Object.entries(this).filter(([name]) => name in properties));
    for (const name of Object.keys(presetProperties)) Reflect.deleteProperty(this, name);
    Object.assign(this, properties, presetProperties);
  }

  connectedCallback(): void {
    watchLanguage();
    connectedElements.add(this);
    this.relabel();
  }

  disconnectedCallback(): void {
    connectedElements.delete(this);
  }

  /** Draw again in the language of the place, and once more if its texts come later. */
  relabel(): void {
    this.redraw();
    loadTexts(localeOf(this))
      ?.then(() => this.redraw())
      .catch(() => {});
  }

  attributeChangedCallback(attribute: string, _before: string | null, value: string | null): void {
    const { properties } = this.constructor as typeof AskbackElement;
    for (const [name, first] of Object.entries(properties))
      if (attributeName(name) === attribute)
        Object.assign(this, { [name]: typeof first === "boolean" ? value !== null : (value ?? first) });
  }

  /** Draw again soon; everything that is set until then is drawn together. */
  redraw(): void {
    if (this.#updateQueued || !this.isConnected) return;
    this.#updateQueued = true;
    this.updateComplete = Promise.resolve().then(() => this.#update());
  }

  /** After the next drawing, give the focus to the first match. */
  focusOn(selector: string): void {
    this.redraw();
    void this.updateComplete.then(() => this.root.querySelector<HTMLElement>(selector)?.focus());
  }

  #update(): void {
    this.locale = localeOf(this);
    this.getText = getTextIn(this.locale);
    this.willUpdate(this.#changed);
    const changedProperties = this.#changed;
    this.#changed = new Map();
    render(this.render(), this.root);
    this.#updateQueued = false;
    this.updated(changedProperties);
  }

  /** Before a drawing: what is set here belongs to the same drawing. */
  protected willUpdate(_changed: ChangedProperties): void {}
  protected abstract render(): Template;
  /** After a drawing: what is set here asks for another. */
  protected updated(_changed: ChangedProperties): void {}
}

/**
 * Keep one child of `place` for each item, in the order of the items, and let `draw` fill it.
 *
 * A child is only moved when it is in the wrong place, so that typed text and the focus survive. Those whose
 * item is gone leave after the drawing, which may take out of them what is shown elsewhere now.
 */
export function drawList<T extends { id: string }>(
  parent: Element | null | undefined,
  items: readonly T[],
  draw: (item: T, child: HTMLElement) => void,
): void {
  if (!parent) return;
  const childrenById = new Map(
    ([...parent.children] as HTMLElement[]).map((child) => [child.dataset.id, child]),
  );
  const children = items.map((item) => {
    const tag = parent.localName === "div" ? "div" : "li";
    const child = childrenById.get(item.id) ?? parent.appendChild(document.createElement(tag));
    childrenById.delete(item.id);
    child.dataset.id = item.id;
    draw(item, child);
    return child;
  });
  for (const leftover of childrenById.values()) leftover.remove();
  for (const [index, child] of children.entries())
    if (parent.children[index] !== child) move(child, parent, parent.children[index] ?? null);
}
