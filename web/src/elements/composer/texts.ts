import texts from "../../../../src/askback/messages/en.json?composer" with { type: "json" };
import { addTexts } from "../../core/messages.ts";

/** The English words about messages come with where they are written. */
addTexts(texts);
