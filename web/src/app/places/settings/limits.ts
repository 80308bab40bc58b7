import type { LimitsReply } from "../../../core/generated/wire.ts";
import { html, type Template } from "../../../elements/html.ts";
import { Section } from "../../section.ts";
import { type Column, drawTable } from "../../ui/table.ts";

/** What the policy sets, and an admin here. */
const POLICY = [
  "max_questions",
  "questions_window_s",
  "max_pending",
  "max_pending_per_agent",
  "max_submissions_per_minute",
  "max_messages_per_hour",
];
/** The others that a person meets; the texts are `ui.settings.limit_{name}`. */
const TIMES = [
  "approval_timeout_s",
  "decision_s",
  "max_timeout_s",
  "check_wait_s",
  "check_lease_s",
  "refusal_s",
  "refusal_long_s",
  "lease_s",
];
const SIZES = [
  "text_answer",
  "textarea_answer",
  "file_bytes",
  "files_bytes",
  "secret_bytes",
  "request_bytes",
];
const LIMIT_NAMES = [...POLICY, ...TIMES, ...SIZES];
const KIB = 1024;
const UNITS = ["byte", "kilobyte", "megabyte"];
/** In seconds, the largest first. */
const SPANS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
] as const;

type Values = LimitsReply & Record<string, unknown>;

/** How much may be asked, how long things take, and how large they are. */
export class Limits extends Section {
  #limits: Values | undefined;
  /** What the admin has typed, by name. */
  #typedValues: Readonly<Record<string, string>> = {};

  async read(): Promise<void> {
    this.#limits = await this.host.app.client.get<Values>("/v1/limits");
  }

  /** A number in words: seconds as the largest whole unit, bytes as megabytes. */
  #labelOf(name: string, value: number): string {
    const { locale } = this.host;
    const unit = (count: number, unit: string): string =>
      new Intl.NumberFormat(locale, {
        style: "unit",
        unit,
        unitDisplay: unit.endsWith("byte") && unit !== "byte" ? "short" : "long",
      }).format(count);
    if (name.endsWith("_bytes")) {
      const power = Math.min(2, Math.floor(Math.log(Math.max(1, value)) / Math.log(KIB)));
      return unit(Math.round((value / KIB ** power) * 10) / 10, UNITS[power] ?? "byte");
    }
    const span = name.endsWith("_s") && SPANS.find(([, seconds]) => value % seconds === 0);
    return span ? unit(value / span[1], span[0]) : new Intl.NumberFormat(locale).format(value);
  }

  async #save(event: Event): Promise<void> {
    event.preventDefault();
    const set = Object.fromEntries(
      Object.entries(this.#typedValues).map(([name, text]) => [name, Number(text)]),
    );
    if (!(await this.change("POST", "/v1/policy", set))) return;
    this.#typedValues = {};
    this.host.redraw();
    this.host.app.toast({ text: this.getText("saved") });
  }

  async #reset(name: string): Promise<void> {
    if (await this.change("POST", "/v1/policy", { [name]: null })) this.#type(name);
  }

  /** Keep what was typed, or forget it. */
  #type(name: string, text?: string): void {
    const { [name]: _before, ...otherValues } = this.#typedValues;
    this.#typedValues = text ? { ...otherValues, [name]: text } : otherValues;
    this.host.redraw();
  }

  #drawField(name: string, value: number): Template {
    return html`<input type="number" name=${name} min="0" step="1" aria-label=${this.getText(`limit_${name}`)} .value=${this.#typedValues[name] ?? String(value)} .oninput=${(event: Event) => this.#type(name, (event.target as HTMLInputElement).value)} />`;
  }

  #drawSetter(name: string, limits: Values, editable: boolean): unknown {
    const setter = this.getText(`by_${limits.set_by[name] ?? "askback"}`);
    if (!editable || limits.set_by[name] !== "policy") return setter;
    return html`${setter} <button type="button" class="quiet" .onclick=${() => void this.#reset(name)}>${this.getText("reset")}<span class="hidden"> ${this.getText(`limit_${name}`)}</span></button>`;
  }

  #drawGroup(title: string, names: readonly string[], limits: Values, editable: boolean): Template {
    const numbers = names.flatMap((name) => {
      const value = limits[name];
      return typeof value === "number" ? [{ name, value }] : [];
    });
    const columns: Column<(typeof numbers)[number]>[] = [
      {
        label: this.getText("limit"),
        draw: ({ name }) =>
          LIMIT_NAMES.includes(name)
            ? html`${this.getText(`limit_${name}`)}<span class="muted"><code>${name}</code></span>`
            : html`<code>${name}</code>`,
      },
      {
        label: this.getText("value"),
        draw: ({ name, value }) =>
          editable
            ? html`${this.#drawField(name, value)}${name.endsWith("_s") && html`<span class="muted">${this.getText("seconds", { words: this.#labelOf(name, value) })}</span>`}`
            : this.#labelOf(name, value),
      },
      { label: this.getText("set_by"), draw: ({ name }) => this.#drawSetter(name, limits, editable) },
    ];
    return drawTable(title, columns, numbers);
  }

  draw(): Template | undefined {
    const limits = this.#limits;
    if (!limits) return undefined;
    const otherNames = Object.keys(limits).filter((name) => !LIMIT_NAMES.includes(name));
    const isChanged = Object.keys(this.#typedValues).length > 0;
    const question = this.getText("limits_asked");
    return html`<div class="groups">
      <form class="stack" .onsubmit=${(event: Event) => void this.#save(event)}>
        <h2>${question}</h2>
        ${!this.isAdmin && html`<p class="muted">${this.getText("admins_only")}</p>`}
        ${this.#drawGroup(question, POLICY, limits, this.isAdmin)}
        ${isChanged && html`<div class="actions"><button type="submit" class="primary">${this.getText("save")}</button></div>`}
      </form>
      <div class="stack"><h2>${this.getText("limits_times")}</h2>${this.#drawGroup(this.getText("limits_times"), TIMES, limits, false)}</div>
      <div class="stack"><h2>${this.getText("limits_sizes")}</h2>${this.#drawGroup(this.getText("limits_sizes"), SIZES, limits, false)}</div>
      <details><summary>${this.getText("limits_all")}</summary>${this.#drawGroup(this.getText("limits_all"), otherNames, limits, false)}</details>
      <p class="muted">${this.getText("limits_operator")} <code dir="ltr">ASKBACK_LIMITS</code></p>
    </div>`;
  }
}
