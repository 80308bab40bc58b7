import texts from "../../../../src/askback/messages/en.json?reader" with { type: "json" };
import { addTexts } from "../../core/messages.ts";

/** The English words for those who may not answer come with what finds that out. */
addTexts(texts);
