import { Client } from "../client/client.ts";
import type { Caller } from "../core/generated/wire.ts";
import { draftKeys } from "../elements/drafttypes.ts";
import { AskbackElement, type ChangedProperties } from "../elements/element.ts";
import { html, type Template } from "../elements/html.ts";
import { draw } from "../elements/icons.ts";
import { initialsOf } from "../elements/initials.ts";
import { loadDraftStore } from "../elements/loaddrafts.ts";
import { buttonStyles, tokenStyles } from "../elements/tokens.css.ts";
import { placeIcons } from "./icons.ts";
import { singleKey } from "./keys.ts";
import { Notifier } from "./notifications.ts";
import type { App, PlaceElement, PlaceEntry } from "./place.ts";
import { PLACES } from "./places.ts";
import { addressOf, match, pathOf, type Route, withLanguage } from "./router.ts";
import { shellStyles } from "./shell.css.ts";
import { signIn, signOut } from "./signin.ts";
import { InboxStore } from "./store.ts";
import { drawQuestion, type Question } from "./ui/modal.ts";
import { drawKeys } from "./ui/shortcuts.ts";
import { drawError, drawLoading } from "./ui/states.ts";
import { type ToastOptions, Toasts } from "./ui/toasts.ts";
import { uiStyles } from "./ui/ui.css.ts";

const SIGN_OUT_ICON = draw("M14 4H5v16h9M10 12h11M17.500 8.500L21 12l-3.500 3.500");
const LOGO = draw("M9 9a3 3 0 1 1 4.200 2.800c-.8.4-1.200 1-1.200 1.900M12 17v.01");
/** The places that `g` and another key lead to. */
const GO_KEYS: Record<string, string> = { i: "inbox", c: "conversations", h: "history" };
/** How many places are tabs on a phone; the others are below "More". */
const TABS = 3;

/**
 * The application: the rail with the places, and the place that the address names.
 *
 * @tag askback-app
 */
export class AskbackApp extends AskbackElement implements App {
  static override styles = [tokenStyles, buttonStyles, uiStyles, shellStyles];
  static override properties = {
    me: undefined,
    route: undefined,
    question: undefined,
    help: false,
    failed: false,
    more: false,
  };

  declare me: Caller | undefined;
  declare route: Route;
  /** What the person is asked before something happens. */
  declare question: { readonly ask: Question; answer(yes: boolean): void } | undefined;
  /** Whether the keys are listed. */
  declare help: boolean;
  /** Whether the place could not be loaded. */
  declare failed: boolean;
  /** Whether the rail covers the place, on a phone. */
  declare more: boolean;
  readonly client = Client.shared;
  readonly inbox = new InboxStore(this.client);
  readonly toasts = new Toasts(this);
  readonly notifier = new Notifier(
    this.inbox,
    () => this.getText,
    (request) => this.go(pathOf("inbox", request)),
  );
  #place: PlaceElement | undefined;
  /** Whether `g` was pressed: the next key names a place. */
  #isGoPressed = false;

  override connectedCallback(): void {
    super.connectedCallback();
    this.client.showsLink = true;
    this.client.addEventListener("link", () => this.#follow());
    this.inbox.addEventListener("change", () => this.redraw());
    addEventListener("popstate", () => this.#open());
    document.addEventListener("click", (event) => {
      const url = addressOf(event, this.#places);
      if (!url) return;
      event.preventDefault();
      this.go(url.pathname + url.search);
    });
    document.addEventListener("keydown", (event) => {
      const key = singleKey(event);
      const place = this.#isGoPressed && GO_KEYS[key];
      this.#isGoPressed = key === "g";
      if (place) this.go(pathOf(place));
      else if (key === "Escape" && this.more) this.#showMore(false);
      else if (key === "?") this.showKeys();
      else if (key !== "u" || !this.toasts.undo()) return;
      event.preventDefault();
    });
    this.#open();
    this.client.whoami().then(
      ({ principal }) => {
        this.me = principal;
        this.#open();
        // It sends what was on its way when a page was left.
        if (draftKeys(localStorage).length > 0) void loadDraftStore(this.client);
      },
      () => {},
    );
  }

  go(path: string, { replace = false } = {}): void {
    const url = new URL(withLanguage(path), location.origin);
    if (url.href !== location.href) history[replace ? "replaceState" : "pushState"](null, "", url);
    this.#open();
  }

  focusContent(): void {
    this.#place?.focusContent();
  }

  toast(options: ToastOptions): void {
    this.toasts.add(options);
  }

  confirm(ask: Question): Promise<boolean> {
    return new Promise((resolve) => {
      const answer = (yes: boolean): void => {
        this.question = undefined;
        resolve(yes);
      };
      this.question = { ask, answer };
    });
  }

  showKeys(): void {
    this.help = true;
  }

  /** The places that this person may see. */
  get #places(): readonly PlaceEntry[] {
    return PLACES.filter(({ roles }) => !roles || roles.includes(this.me?.role ?? ""));
  }

  #follow(): void {
    if (this.client.link === "signed-out") signIn(this.client);
    this.redraw();
  }

  #open(): void {
    this.route = match(new URL(location.href), this.#places);
    this.more = false;
    this.toggleAttribute("more", false);
    void this.#load(this.route);
  }

  /** Show the place of the address; the one that is shown stays, and only its `item` and `query` change. */
  async #load({ place }: Route): Promise<void> {
    const previousPlace = this.#place;
    if (place) await this.#enter(place);
    else this.#place = undefined;
    const { item, query } = this.route;
    if (this.#place) this.#place.item = item;
    // Another object with the same filters would make a place read its list again.
    if (this.#place && String(this.#place.query) !== String(query)) this.#place.query = query;
    // It may depend on who is signed in.
    this.#place?.redraw();
    this.redraw();
    // It takes the focus once it is on the page.
    if (previousPlace && previousPlace !== this.#place)
      void this.updateComplete.then(() => this.focusContent());
  }

  /** Make the element of a place, unless it is the one that is shown. */
  async #enter(place: PlaceEntry): Promise<void> {
    const tag = `askback-place-${place.name}`;
    const module = await place.load().catch(() => undefined);
    if (place !== this.route.place || this.#place?.localName === tag) return;
    this.failed = !module;
    this.#place = undefined;
    if (!module) return;
    if (!customElements.get(tag)) customElements.define(tag, module.Place);
    this.#place = document.createElement(tag) as PlaceElement;
    this.#place.app = this;
  }

  showTitle(): void {
    const { place } = this.route;
    const waiting = this.inbox.mine.length;
    const heading = this.#place?.heading ?? this.getText(place ? `app.${place.name}` : "missing");
    const title = `${waiting > 0 ? `(${waiting}) ` : ""}${heading} – askback`;
    if (title !== document.title) document.title = title;
  }

  protected override updated(_changed: ChangedProperties): void {
    this.showTitle();
  }

  #drawLink(place: PlaceEntry, label = place.name): Template {
    const { name, icon } = place;
    const waiting = name === "inbox" ? this.inbox.mine.length : 0;
    return html`<a href=${withLanguage(pathOf(name))} aria-current=${place === this.route?.place && "page"}>
      ${icon}<span>${this.getText(`app.${label}`)}</span>${waiting > 0 && html`<span class="n">${waiting}</span>`}
    </a>`;
  }

  #drawPlace(): unknown {
    if (this.#place) return this.#place;
    if (this.failed) return drawError(this.getText, () => this.#open());
    if (!this.route || this.route.place || !this.me) return drawLoading(this.getText);
    return html`<div class="page">
      <h1 tabindex="-1">${this.getText("missing")}</h1>
      <p>${this.getText("missing_text")}</p>
      <p><a href="/">${this.getText("missing_inbox")}</a></p>
    </div>`;
  }

  #drawRail(places: readonly PlaceEntry[]): Template {
    const { link } = this.client;
    const draw = (control: boolean) =>
      places
        .filter((each) => !!each.control === control)
        .map((each) => html`<li>${this.#drawLink(each)}</li>`);
    const control = draw(true);
    const name = this.me?.name ?? "";
    return html`<nav class="rail" aria-label=${this.getText("app.main")}>
      <a class="brand" href="/">${LOGO}askback</a>
      <ul>${draw(false)}</ul>
      ${control.length > 0 && html`<h2>${this.getText("app.control")}</h2><ul>${control}</ul>`}
      <div class="foot">
        <span class="avatar" aria-hidden="true">${initialsOf(name)}</span>
        <b id="me">${name}</b>
        <button type="button" id="out" class="quiet" title=${this.getText("sign_out")} aria-label=${this.getText("sign_out")} .onclick=${() => signOut(this.client)}>${SIGN_OUT_ICON}</button>
        <span id="link" data-link=${link}>${this.getText(link === "online" ? link : `app.${link === "connecting" ? link : "offline"}`)}</span>
      </div>
    </nav>`;
  }

  /** Show or hide the rail of a narrow window, and give it the focus or take it back. */
  #showMore(isShown: boolean): void {
    this.more = isShown;
    this.toggleAttribute("more", isShown);
    this.focusOn(isShown ? ".rail li a" : "#more");
  }

  #drawTabs(places: readonly PlaceEntry[]): Template {
    return html`<nav class="tabs" aria-label=${this.getText("app.tabs")}>
      ${places.slice(0, TABS).map((each) => this.#drawLink(each, each.tab))}
      <button type="button" id="more" aria-expanded=${String(this.more)} .onclick=${() => this.#showMore(!this.more)}>${placeIcons.more}<span>${this.getText("app.more")}</span></button>
    </nav>`;
  }

  #drawHelp(): Template {
    const close = (): void => {
      this.help = false;
    };
    const keys = this.#place?.keys ?? { list: [] };
    return html`<askback-modal heading=${this.getText("app.keys")} .onclose=${close}>${drawKeys(this.getText, keys)}</askback-modal>`;
  }

  protected override render(): Template {
    const places = this.#places;
    const skipToContent = (event: Event): void => {
      event.preventDefault();
      this.focusOn("#main");
    };
    return html`<a class="skip" href="#main" .onclick=${skipToContent}>${this.getText("skip_to_content")}</a>
      ${this.#drawRail(places)}
      <p class="banner" role="status">${this.client.link === "offline" && this.getText("offline")}</p>
      <main id="main" tabindex="-1">${this.#drawPlace()}</main>
      ${this.#drawTabs(places)}
      ${this.question && drawQuestion(this.question.ask, this.getText("app.cancel"), this.question.answer)}
      ${this.help && this.#drawHelp()}
      ${this.toasts.draw(this.getText)}`;
  }
}
