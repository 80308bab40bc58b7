import { html, type Template } from "../../../elements/html.ts";
import { notifications } from "../../notifications.ts";
import { APPEARANCE, applyPreferences, LANGUAGE } from "../../preferences.ts";
import { Section } from "../../section.ts";
import { ALL_KEYS, drawKeys } from "../../ui/shortcuts.ts";
import { drawChoice } from "./choice.ts";

/** The names of the languages, each in itself. */
const LANGUAGES = { en: "English", de: "Deutsch" };

/** Keep a choice; an empty one leaves it to the browser. */
const store = (name: string, value: string): void =>
  value ? localStorage.setItem(name, value) : localStorage.removeItem(name);

/** What is kept in this browser alone. */
export class Browser extends Section {
  async read(): Promise<void> {}

  #setAppearance(appearance: string): void {
    store(APPEARANCE, appearance);
    applyPreferences(this.host.locale);
    this.host.redraw();
  }

  /** Change the language immediately, and remove the language from the address. */
  #setLanguage(language: string): void {
    store(LANGUAGE, language);
    const url = new URL(location.href);
    url.searchParams.delete("lang");
    history.replaceState(null, "", url);
    applyPreferences();
  }

  async #setNotifications(event: Event): Promise<void> {
    const { checked } = event.target as HTMLInputElement;
    await notifications.setEnabled(checked, this.host.getText);
    this.host.redraw();
  }

  draw(): Template {
    const appearances = ["", "light", "dark"].map((value) => ({
      value,
      label: this.getText(`look_${value || "system"}`),
    }));
    const languageOptions = Object.entries(LANGUAGES).map(([value, label]) => ({
      value,
      label,
      lang: value,
    }));
    const languages = [{ value: "", label: this.getText("language_browser") }, ...languageOptions];
    const { state } = notifications;
    return html`<div class="groups">
      ${drawChoice("look", this.getText("look"), appearances, localStorage[APPEARANCE] ?? "", (value) => this.#setAppearance(value))}
      ${drawChoice("language", this.getText("language"), languages, localStorage[LANGUAGE] ?? "", (value) => this.#setLanguage(value))}
      <fieldset><legend>${this.getText("notifications")}</legend>
        <p class="muted">${this.getText("notifications_text")}</p>
        ${
          state === "unsupported" || state === "denied"
            ? html`<p class="warn" role="status">${this.getText(`notifications_${state}`)}</p>`
            : html`<label class="tick"><input id="notify" type="checkbox" .checked=${state === "on"} .onchange=${(event: Event) => void this.#setNotifications(event)} />${this.getText("notify")}</label>`
        }
      </fieldset>
      <fieldset><legend>${this.host.getText("app.keys")}</legend>
        <p class="muted">${this.getText("keys_text")}</p>
        ${drawKeys(this.host.getText, ALL_KEYS)}
      </fieldset>
    </div>`;
  }
}
