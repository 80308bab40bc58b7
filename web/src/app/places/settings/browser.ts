import { html, type Template } from "../../../elements/html.ts";
import { notifications } from "../../notifications.ts";
import { APPEARANCE, applyPreferences, LANGUAGE } from "../../preferences.ts";
import { Section } from "../../section.ts";
import { ALL_KEYS, drawKeys } from "../../ui/keylist.ts";
import { drawChoice } from "./choice.ts";

/** The names of the languages, each in itself. */
const LANGUAGES = { en: "English", de: "Deutsch" };

/** Keep a choice; an empty one leaves it to the browser. */
const keep = (name: string, value: string): void =>
  value ? localStorage.setItem(name, value) : localStorage.removeItem(name);

/** What is kept in this browser alone. */
export class Browser extends Section {
  async read(): Promise<void> {}

  #look(appearance: string): void {
    keep(APPEARANCE, appearance);
    applyPreferences(this.host.locale);
    this.host.redraw();
  }

  /** Change the language immediately, and remove the language from the address. */
  #speak(language: string): void {
    keep(LANGUAGE, language);
    const url = new URL(location.href);
    url.searchParams.delete("lang");
    history.replaceState(null, "", url);
    applyPreferences();
  }

  async #notify(event: Event): Promise<void> {
    const { checked } = event.target as HTMLInputElement;
    await notifications.turn(checked, this.host.say);
    this.host.redraw();
  }

  draw(): Template {
    const looks = ["", "light", "dark"].map((value) => ({
      value,
      label: this.say(`look_${value || "system"}`),
    }));
    const named = Object.entries(LANGUAGES).map(([value, label]) => ({ value, label, lang: value }));
    const languages = [{ value: "", label: this.say("language_browser") }, ...named];
    const { state } = notifications;
    return html`<div class="groups">
      ${drawChoice("look", this.say("look"), looks, localStorage[APPEARANCE] ?? "", (value) => this.#look(value))}
      ${drawChoice("language", this.say("language"), languages, localStorage[LANGUAGE] ?? "", (value) => this.#speak(value))}
      <fieldset><legend>${this.say("notifications")}</legend>
        <p class="muted">${this.say("notifications_text")}</p>
        ${
          state === "unsupported" || state === "denied"
            ? html`<p class="warn" role="status">${this.say(`notifications_${state}`)}</p>`
            : html`<label class="tick"><input id="notify" type="checkbox" .checked=${state === "on"} .onchange=${(event: Event) => void this.#notify(event)} />${this.say("notify")}</label>`
        }
      </fieldset>
      <fieldset><legend>${this.host.say("app.keys")}</legend>
        <p class="muted">${this.say("keys_text")}</p>
        ${drawKeys(this.host.say, ALL_KEYS)}
      </fieldset>
    </div>`;
  }
}
