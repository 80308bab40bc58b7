import texts from "../../../../src/askback/messages/en.json?files&texts" with { type: "json" };
import type { FileValue } from "../../core/generated/wire.ts";
import { addTexts, type Locale } from "../../core/messages.ts";
import { html, type Template } from "../html.ts";
import type { Sender } from "../kind.ts";
import { type GetText, variantOf } from "../text.ts";
import { addressOf, download, pathOf } from "./send.ts";

addTexts(texts);

/** The types for which the server makes a preview image. */
const PICTURES = /^image\/(png|jpeg|gif|webp)$/;

/** The element that shows files. */
interface Reader {
  readonly client: Sender | undefined;
  readonly locale: Locale;
  readonly getText: GetText;
  redraw(): void;
}

/** Files on the server, as an element shows them. */
export class StoredFiles {
  readonly #reader: Reader;
  /** The addresses of pictures, by the id of the file; empty while one is asked for, or where there is none. */
  readonly #pictures = new Map<string, string>();

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  size(bytes: number): string {
    const unit = bytes < 1e3 ? "byte" : bytes < 1e6 ? "kilobyte" : "megabyte";
    const value = bytes / { byte: 1, kilobyte: 1e3, megabyte: 1e6 }[unit];
    return new Intl.NumberFormat(variantOf(this.#reader.locale), {
      style: "unit",
      unit,
      unitDisplay: unit === "byte" ? "long" : "short",
      maximumFractionDigits: value < 10 ? 1 : 0,
    }).format(value);
  }

  /** The picture of a file, once the server has drawn it. */
  drawPicture(
    file: FileValue,
    alt = this.#reader.getText("files.preview_of", { name: file.name }),
  ): Template | "" {
    const picture = this.#pictureOf(file);
    return picture && html`<img src=${picture} alt=${alt} .onerror=${() => this.#setPicture(file, "")} />`;
  }

  /** A file in a message: its picture, and a link that saves it. */
  drawLink(file: FileValue, alt?: string): Template {
    const { client, getText } = this.#reader;
    const { name, size } = file;
    const save = (event: Event): void => {
      event.preventDefault();
      download(client, file).catch(() => {});
    };
    return html`<div class="file">
      ${this.drawPicture(file, alt)}
      <a href=${pathOf(file)} aria-label=${getText("files.download_of", { name })} .onclick=${save}>${name}</a> <span class="hint">${this.size(size)}</span>
    </div>`;
  }

  #setPicture({ id }: FileValue, url: string): void {
    this.#pictures.set(id, url);
    this.#reader.redraw();
  }

  #pictureOf(file: FileValue): string {
    if (PICTURES.test(file.type) && !this.#pictures.has(file.id)) {
      this.#pictures.set(file.id, "");
      addressOf(this.#reader.client, `${pathOf(file)}/preview`).then(
        (url) => this.#setPicture(file, url),
        () => {},
      );
    }
    return this.#pictures.get(file.id) ?? "";
  }
}
