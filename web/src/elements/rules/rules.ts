/** The rules of the fields, and what they say in English: fetched while the first form is read. */

import texts from "../../../../src/askback/messages/en.json?rules&texts" with { type: "json" };
import { addTexts } from "../../core/messages.ts";
import "./faults.ts";

addTexts(texts);
