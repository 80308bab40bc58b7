import type { PolicySettings } from "../../../core/generated/wire.ts";
import { html, type Template } from "../../../elements/html.ts";
import { Section } from "../../section.ts";
import { type Choice, drawChoice, drawFact } from "./choice.ts";

/** The values of each setting, the strictest first; the texts are `ui.settings.{setting}_{value}` and the same with `_hint`. */
const SETTINGS = {
  mode: ["plan", "normal", "accept_edits", "full"],
  level: ["deny", "allowlist", "full"],
  ask_mode: ["always", "on-miss", "off"],
  free_text: ["ignore", "queue", "cancel_pending", "block_input", "answer"],
} as const;
type Setting = keyof typeof SETTINGS;
const SETTING_NAMES = Object.keys(SETTINGS) as Setting[];
/** The values that mean something else in the table of Nebo. */
const NEBO: ReadonlySet<string> = new Set(["deny", "off"]);
/** What a person types who lets everything run. */
const CONFIRMATION = "ENABLE FULL";

/** The settings for every conversation without its own. */
export class Policy extends Section {
  #policy: PolicySettings | undefined;
  /** What waits for the typed confirmation. */
  #confirming: { readonly setting: Setting; readonly value: string } | undefined;
  #typedWords = "";

  async read(): Promise<void> {
    this.#policy = await this.host.app.client.get<PolicySettings>("/v1/policy");
  }

  async #set(setting: Setting, value: string, confirm?: string): Promise<void> {
    const body = { [setting]: value, ...(confirm ? { confirm } : {}) };
    const set = await this.change<PolicySettings>("POST", "/v1/policy", body);
    this.#confirming = undefined;
    this.host.redraw();
    if (set) this.host.app.toast({ text: this.getText("saved") });
  }

  #choose(setting: Setting, value: string): void {
    const allowsEverything = value === "full" || (value === "off" && this.#policy?.table === "nebo");
    if (!allowsEverything) return void this.#set(setting, value);
    this.#typedWords = "";
    this.#confirming = { setting, value };
    this.host.redraw();
  }

  #choices(setting: Setting): Choice[] {
    return SETTINGS[setting].map((value) => ({
      value,
      label: this.getText(`${setting}_${value}`),
      hint: this.getText(
        `${setting}_${value}${this.#policy?.table === "nebo" && NEBO.has(value) ? "_nebo" : ""}_hint`,
      ),
    }));
  }

  #close(): void {
    this.#confirming = undefined;
    this.host.redraw();
  }

  override drawDialog(): Template | false {
    const question = this.#confirming;
    if (!question) return false;
    const send = (event: Event): void => {
      event.preventDefault();
      if (this.#typedWords === CONFIRMATION) void this.#set(question.setting, question.value, CONFIRMATION);
    };
    const type = (event: Event): void => {
      this.#typedWords = (event.target as HTMLInputElement).value.trim();
      this.host.redraw();
    };
    return html`<askback-modal heading=${this.getText("full_title")} .onclose=${() => this.#close()}>
      <form class="stack" .onsubmit=${send}>
        <p>${this.getText("full_text")}</p>
        <label for="confirm">${this.getText("full_type", { words: CONFIRMATION })}</label>
        <input id="confirm" type="text" autocomplete="off" spellcheck="false" .oninput=${type} autofocus />
        <div class="actions end">
          <button type="button" .onclick=${() => this.#close()}>${this.host.getText("app.cancel")}</button>
          <button type="submit" class="danger primary" aria-disabled=${this.#typedWords !== CONFIRMATION && "true"}>${this.getText("full_yes")}</button>
        </div>
      </form>
    </askback-modal>`;
  }

  draw(): Template | undefined {
    const policy = this.#policy;
    if (!policy) return undefined;
    const selectedOf = (setting: Setting): string => policy[setting] ?? "";
    if (!this.isAdmin)
      return html`<p class="muted">${this.getText("admins_only")}</p>
        <dl class="facts">${SETTING_NAMES.flatMap((setting) => {
          const choice = this.#choices(setting).find(({ value }) => value === selectedOf(setting));
          return choice ? [drawFact(this.getText(setting), choice)] : [];
        })}</dl>`;
    return html`<div class="groups">
      ${SETTING_NAMES.map((setting) => drawChoice(setting, this.getText(setting), this.#choices(setting), this.#confirming?.setting === setting ? this.#confirming.value : selectedOf(setting), (value) => this.#choose(setting, value)))}
    </div>`;
  }
}
