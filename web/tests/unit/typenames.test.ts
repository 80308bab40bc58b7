import { expect, test } from "vitest";
import de from "../../../src/askback/messages/de.json" with { type: "json" };
import en from "../../../src/askback/messages/en.json" with { type: "json" };
import { typeNames } from "../../src/elements/files/typenames.ts";

const texts = { en, de } as Record<string, Record<string, string>>;
const sentenceOf = (acceptedTypes: readonly string[], locale: "en" | "de"): string =>
  typeNames(
    acceptedTypes,
    (key, params = {}) => (texts[locale]?.[`ui.${key}`] ?? key).replace("{format}", String(params.format)),
    locale,
  );
const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

test.each([
  [["image/png"], "PNG images", "PNG-Bilder"],
  [["image/*", ".csv"], "images and CSV files", "Bilder und CSV-Dateien"],
  [["application/pdf", WORD, ".docx"], "PDF files and Word files", "PDF-Dateien und Word-Dateien"],
  [["image/svg+xml", "video/mp4"], "SVG images and MP4 videos", "SVG-Bilder und MP4-Videos"],
  [["audio/mpeg", "audio/*"], "MP3 audio files and audio files", "MP3-Audiodateien und Audiodateien"],
  [["text/plain", ".txt", "text/*"], "text files", "Textdateien"],
  [
    ["application/x-7z-compressed", "application/vnd.acme"],
    "application/x-7z-compressed and ACME files",
    undefined,
  ],
])("the accepted types %j are said in words", (acceptedTypes, english, german) => {
  expect(sentenceOf(acceptedTypes, "en")).toBe(english);
  if (german) expect(sentenceOf(acceptedTypes, "de")).toBe(german);
});
