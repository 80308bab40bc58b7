import type { WireError } from "../../client/errors.ts";
import { allFields } from "../../core/form.ts";
import type {
  Field,
  File as FileField,
  FileValue,
  InputRequest,
  FileList as Listed,
} from "../../core/generated/wire.ts";
import { join, ownValue } from "../../core/path.ts";
import { group } from "../field.ts";
import { describedBy, type FieldView } from "../fieldview.ts";
import type { FormKind } from "../formkind.ts";
import { html, type Template } from "../html.ts";
import { icons } from "../icons.ts";
import type { SettledRequest } from "../receipt/settled.ts";
import { fileStyles } from "./files.css.ts";
import { StoredFiles } from "./links.ts";
import { download, FileCall, pathOf } from "./send.ts";
import { typeNames } from "./typenames.ts";

/** A file on its way, or one that did not arrive: then `error` says why, and `again` uploads it again if that may help. */
interface Upload {
  readonly name: string;
  readonly size: number;
  readonly sent: number;
  readonly call: FileCall | undefined;
  readonly error: string | undefined;
  readonly again?: (() => void) | false;
}

const isFile = (field: Field): field is FileField => field.type === "file";

/** A form for which files are uploaded; until they are sent, the server keeps them for this person. */
export const withFiles = (Base: typeof FormKind) =>
  class extends Base {
    #uploads: ReadonlyMap<string, readonly Upload[]> = new Map();
    #listed = false;
    #over = "";
    /** The announcement for screen readers. */
    #said = "";
    readonly #stored: StoredFiles;

    constructor(...[host]: ConstructorParameters<typeof FormKind>) {
      super(host);
      this.#stored = new StoredFiles(host);
      host.root.adoptedStyleSheets.push(fileStyles);
    }

    override adopt(request: InputRequest): void {
      super.adopt(request);
      if (this.#listed || request.status !== "pending") return;
      this.#listed = true;
      void this.#list(request);
    }

    /** Show again what was uploaded before the page was loaded. */
    async #list({ id }: InputRequest): Promise<void> {
      const found = await this.host.client
        ?.get?.<Listed>(`/v1/requests/${encodeURIComponent(id)}/files`)
        .catch(() => undefined);
      for (const field of allFields(this.form).filter(isFile)) {
        const fieldFiles = found?.files.filter((file) => file.field === field.id) ?? [];
        if (fieldFiles.length > 0 && this.#files(field).length === 0)
          this.#set(field, fieldFiles.slice(-this.#most(field)));
      }
    }

    #files(field: FileField): readonly FileValue[] {
      return this.draft.get(field.id)?.files ?? [];
    }

    #most({ max_files: most }: FileField): number {
      return most ?? 1;
    }

    #set(field: FileField, files: readonly FileValue[]): void {
      this.change(field, { files });
      this.host.redraw();
    }

    #progress(field: FileField, change: (uploads: readonly Upload[]) => readonly Upload[]): void {
      this.#uploads = new Map(this.#uploads).set(field.id, change(this.#uploads.get(field.id) ?? []));
      this.host.redraw();
    }

    /** Upload what was chosen or dropped; what is too large or too many is refused here already. */
    #add(field: FileField, chosen: readonly File[]): void {
      const room = this.#most(field) - this.#files(field).length;
      for (const [at, file] of chosen.entries()) {
        const tooLarge = field.max_bytes != null && file.size > field.max_bytes;
        if (at >= room) this.#fail(field, file, this.getText("files.too_many", { max: this.#most(field) }));
        else if (tooLarge)
          this.#fail(
            field,
            file,
            this.getText("files.too_large", { size: this.#stored.size(field.max_bytes ?? 0) }),
          );
        else void this.#upload(field, file);
      }
    }

    #fail(field: FileField, { name, size }: File, error: string): void {
      const failed: Upload = { name, size, sent: 0, call: undefined, error };
      this.#said = `${name}: ${error}`;
      this.#progress(field, (uploads) => [...uploads, failed]);
    }

    async #upload(field: FileField, file: File): Promise<void> {
      const { host, getText } = this;
      const { id } = this.view.request ?? {};
      const call = new FileCall();
      let mine: Upload = { name: file.name, size: file.size, sent: 0, call, error: undefined };
      const replace = (next?: Upload): void => {
        const before = mine;
        if (next) mine = next;
        this.#progress(field, (uploads) =>
          uploads.flatMap((item) => (item !== before ? [item] : next ? [next] : [])),
        );
      };
      this.#said = "";
      this.host.clearError(join("values", field.id));
      this.#progress(field, (uploads) => [...uploads, mine]);
      const query = new URLSearchParams({ field: field.id, name: file.name });
      const target = `/v1/requests/${encodeURIComponent(id ?? "")}/files?${query}`;
      try {
        const stored = await call.send<FileValue>(host.client, "POST", target, file, (sent) =>
          replace({ ...mine, sent }),
        );
        this.#said = getText("files.done", { name: stored.name });
        replace();
        this.#set(field, [...this.#files(field), stored]);
      } catch (error) {
        const why = this.#refusal(error as WireError);
        this.#said = `${file.name}: ${why}`;
        if (!(this.#uploads.get(field.id) ?? []).includes(mine)) return; // it was cancelled
        const again =
          this.#isTemporary(error as WireError) &&
          ((): void => {
            replace();
            void this.#upload(field, file);
          });
        replace({ ...mine, call: undefined, error: why, again });
      }
    }

    /** Whether the same file may be accepted later: the server was not reached, failed, or could not check the file. */
    #isTemporary({ final, fieldErrors }: WireError): boolean {
      return !final || fieldErrors.some(({ code }) => code === "scan_unavailable");
    }

    #refusal({ fieldErrors, message, status }: WireError): string {
      const [problem] = fieldErrors;
      if (problem?.code === "file_type") return this.getText("files.type_refused");
      return problem?.message ?? (status ? message : this.getText("files.failed"));
    }

    #cancel(field: FileField, upload: Upload, uid: string): void {
      this.#progress(field, (uploads) => uploads.filter((item) => item !== upload));
      upload.call?.abort();
      this.host.focusOn(`#${uid}`);
    }

    #remove(field: FileField, file: FileValue, uid: string): void {
      // A file of an earlier answer stays on the server; it is only removed from this answer.
      new FileCall().send(this.host.client, "DELETE", pathOf(file)).catch(() => {});
      this.#set(
        field,
        this.#files(field).filter(({ id }) => id !== file.id),
      );
      this.host.focusOn(`#${uid}`);
    }

    get #busy(): Field[] {
      return allFields(this.form).filter((field) =>
        this.#uploads.get(field.id)?.some(({ call }) => call !== undefined),
      );
    }

    get blockedReason(): string | false {
      return this.#busy.length > 0 && this.getText("files.wait");
    }

    override submit(): void {
      const message = this.blockedReason;
      if (message)
        this.host.refuse(this.#busy.map(({ id }) => ({ path: join("values", id), message, code: "busy" })));
      else super.submit();
    }

    override drawField(view: FieldView): Template | false {
      const { field, getText, uid, disabled } = view;
      if (!isFile(field)) return super.drawField(view);
      const found = this.#files(field);
      const uploads = this.#uploads.get(field.id) ?? [];
      const full = found.length >= this.#most(field);
      const add = (list: FileList | null | undefined): void => this.#add(field, [...(list ?? [])]);
      const over = (event: DragEvent): void => {
        event.preventDefault();
        this.#dragged(event.type === "dragover" ? uid : "");
      };
      const drop = (event: DragEvent): void => {
        over(event);
        if (!disabled && !full) add(event.dataTransfer?.files);
      };
      const pick = (event: Event): void => {
        const input = event.target as HTMLInputElement;
        add(input.files);
        input.value = "";
      };
      const place = html`<div class=${this.#over === uid ? "drop over" : "drop"} .ondragover=${over} .ondragleave=${over} .ondrop=${drop}>
        <input
          part="input"
          id=${uid}
          type="file"
          aria-label=${field.label ?? getText("files.choose")}
          aria-invalid=${!!view.error}
          aria-describedby=${[describedBy(view), `${uid}-drop`].filter(Boolean).join(" ")}
          multiple=${this.#most(field) > 1}
          accept=${field.accept?.join(",")}
          disabled=${disabled}
          .onchange=${pick}
        />
        <span class="hint" id=${`${uid}-drop`}>${this.#limits(field)}</span>
      </div>`;
      return group(
        view,
        html`${!full && place}
          <ul class="files">
            ${found.map((file) => this.#drawFile(file, !disabled && (() => this.#remove(field, file, uid))))}
            ${uploads.map((upload) => this.#drawUpload(field, upload, uid))}
          </ul>
          <p class="hidden" role="status">${this.#said}</p>`,
      );
    }

    #dragged(uid: string): void {
      if (this.#over === uid) return;
      this.#over = uid;
      this.host.redraw();
    }

    #limits(field: FileField): string {
      const { getText } = this;
      const most = this.#most(field);
      return [
        getText("files.drop"),
        most > 1 && getText("files.most", { max: most }),
        field.max_bytes != null &&
          getText(most > 1 ? "files.each" : "files.size", { size: this.#stored.size(field.max_bytes) }),
        field.accept && getText("files.types", { types: typeNames(field.accept, getText, this.host.locale) }),
      ]
        .filter(Boolean)
        .join(" ");
    }

    #drawFile(file: FileValue, remove: (() => void) | false): Template {
      const { getText } = this;
      const { name, size } = file;
      const save = (): void => void download(this.host.client, file).catch(() => {});
      return html`<li>
        ${this.#stored.drawPicture(file)}
        <span class="name">${name}</span> <span class="hint">${this.#stored.size(size)}</span>
        <button type="button" class="quiet" aria-label=${getText("files.download_of", { name })} .onclick=${save}>${getText("files.download")}</button>
        ${remove && html`<button type="button" class="quiet" aria-label=${getText("files.remove_of", { name })} .onclick=${remove}>${getText("files.remove")}</button>`}
      </li>`;
    }

    #drawUpload(field: FileField, upload: Upload, uid: string): Template {
      const { getText } = this;
      const { name, size, sent, error, again } = upload;
      const state = error
        ? html`<p class="error">${icons.warn} ${error}</p>`
        : html`<progress max=${size} .value=${sent} aria-label=${getText("files.uploading", { name })}></progress>
          ${sent === size && html`<span class="hint">${getText("checking")}</span>`}`;
      const label = getText(error ? "files.dismiss_of" : "files.cancel_of", { name });
      return html`<li>
        <span class="name">${name}</span> <span class="hint">${this.#stored.size(size)}</span> ${state}
        ${again && html`<button type="button" aria-label=${getText("files.again_of", { name })} .onclick=${again}>${getText("files.again")}</button>`}
        <button type="button" class="quiet" aria-label=${label} .onclick=${() => this.#cancel(field, upload, uid)}>${getText(error ? "files.dismiss" : "files.cancel")}</button>
      </li>`;
    }

    override drawSettled(settled: SettledRequest): Template | undefined {
      const values = settled.request.answer?.values;
      const found = allFields(settled.request.form ?? {})
        .filter(isFile)
        .flatMap(({ id }) => [ownValue(values, id) ?? []].flat() as unknown as FileValue[]);
      const receipt = super.drawSettled(settled);
      return found.length > 0
        ? html`${receipt}<ul class="files sent">${found.map((file) => this.#drawFile(file, false))}</ul>`
        : receipt;
    }
  };

export const mixins = { files: withFiles };
