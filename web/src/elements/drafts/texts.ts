import texts from "../../../../src/askback/messages/en.json?drafts&texts" with { type: "json" };
import { addTexts } from "../../core/messages.ts";

/** The English words about what is kept and sent again come with where they are used. */
addTexts(texts);
