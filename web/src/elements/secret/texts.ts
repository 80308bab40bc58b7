import texts from "../../../../src/askback/messages/en.json?secret" with { type: "json" };
import { addTexts } from "../../core/messages.ts";

/** The English words of secrets come with what draws them; the file of another language holds them all. */
addTexts(texts);
