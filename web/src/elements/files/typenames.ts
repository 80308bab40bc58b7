import type { Locale } from "../../core/messages.ts";
import type { GetText } from "../text.ts";

/** Formats that their type or extension does not name. */
const FORMATS: readonly (readonly [RegExp, string])[] = [
  [/svg/, "SVG"],
  [/quicktime/, "MOV"],
  [/mpeg/, "MP3"],
  [/wordprocessing|docx/, "Word"],
  [/spreadsheetml|xlsx/, "Excel"],
  [/presentationml|pptx/, "PowerPoint"],
];
const KINDS = ["image", "audio", "video"];

/** The name of one entry of `accept`: `image/png` PNG images, `image/*` images, `.csv` CSV files. */
function nameOf(accepted: string, getText: GetText): string {
  const [kind = "", type = ""] = accepted.split("/");
  if (type === "*") return getText(`files.any_${KINDS.includes(kind) ? kind : "text"}`);
  if (accepted === "text/plain" || accepted === ".txt") return getText("files.any_text");
  const known = FORMATS.find(([pattern]) => pattern.test(accepted))?.[1];
  const format = known ?? accepted.replace(/^.*[./]|^.*\/x-/, "").toUpperCase();
  // A long name, such as VND.ACME, tells less than what the form says.
  if (format.length > 10) return accepted;
  return getText(`files.type_${KINDS.includes(kind) ? kind : "file"}`, { format });
}

/** The accepted types in words, each once: `PNG images, PDF files and Excel files`. */
export const typeNames = (accept: readonly string[], getText: GetText, locale: Locale): string =>
  new Intl.ListFormat(locale).format(new Set(accept.map((item) => nameOf(item, getText))));
