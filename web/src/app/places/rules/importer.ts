import { WireError } from "../../../client/errors.ts";
import { newKey } from "../../../client/key.ts";
import type { RuleImport } from "../../../core/generated/wire.ts";
import { escapeText } from "../../../elements/approval/escapes.ts";
import { html, type Template } from "../../../elements/html.ts";
import type { Host } from "./host.ts";

/** The import of a file: checked first, and stored when the person has seen what it would do. */
export class Importer {
  #rows: readonly unknown[] = [];
  #preview: RuleImport | undefined;
  #failure = "";

  constructor(private readonly place: Host) {}

  /** Let the person choose a file. */
  choose(): void {
    const field = document.createElement("input");
    field.type = "file";
    field.accept = "application/json,.json";
    field.onchange = () => void this.#read(field.files?.[0]);
    field.click();
  }

  async #read(file: File | undefined): Promise<void> {
    if (!file) return;
    this.#preview = undefined;
    this.#failure = "";
    try {
      const { rules } = JSON.parse(await file.text()) as { rules?: unknown };
      if (!Array.isArray(rules)) throw new SyntaxError();
      this.#rows = rules;
      this.#preview = await this.#send(true);
    } catch (error) {
      this.#failure = error instanceof WireError ? error.message : this.place.getText("rules.no_export");
    }
    this.place.redraw();
  }

  #send(dry_run: boolean): Promise<RuleImport> {
    const body = { rules: this.#rows, dry_run };
    return this.place.app.client.post<RuleImport>("/v1/rules/import", body, newKey());
  }

  async #import(): Promise<void> {
    try {
      const { added } = await this.#send(false);
      this.#close();
      this.place.app.toast({ text: this.place.getText("rules.imported", { count: added }) });
      await this.place.load();
    } catch (error) {
      this.#failure = error instanceof WireError ? error.message : "";
      this.place.redraw();
    }
  }

  #close(): void {
    this.#preview = undefined;
    this.#failure = "";
    this.place.redraw();
  }

  draw(): Template | false {
    const { getText } = this.place;
    const preview = this.#preview;
    if (!preview && !this.#failure) return false;
    const problems = preview?.rows.flatMap(({ problems = [] }) => problems) ?? [];
    return html`<askback-modal heading=${getText("rules.import_title")} .onclose=${() => this.#close()}>
      ${this.#failure && html`<p class="problem" role="alert">${escapeText(this.#failure)}</p>`}
      ${preview && html`<p>${getText("rules.import_counts", { added: preview.added, known: preview.known, refused: preview.refused })}</p>`}
      ${
        problems.length > 0 &&
        html`<p>${getText("rules.import_refused")}</p><ul class="calls">${problems.map(
          ({ path, message }) =>
            html`<li><code dir="ltr">${path}</code> <span class="muted">${escapeText(message)}</span></li>`,
        )}</ul>`
      }
      <div class="actions end">
        <button type="button" .onclick=${() => this.#close()}>${getText("app.cancel")}</button>
        ${preview && preview.added > 0 && preview.refused === 0 && html`<button type="button" class="primary" .onclick=${() => void this.#import()}>${getText("rules.import_yes", { count: preview.added })}</button>`}
      </div>
    </askback-modal>`;
  }
}
