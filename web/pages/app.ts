import texts from "../../src/askback/messages/en.json?app&texts" with { type: "json" };
import { AskbackApp } from "../src/app/shell.ts";
import { CopyButton } from "../src/app/ui/copy.ts";
import { Modal } from "../src/app/ui/modal.ts";
import { LiveTime } from "../src/app/ui/time.ts";
import { addGerman, addTexts } from "../src/core/messages.ts";
import { AskbackRequest } from "../src/elements/request.ts";
import { showTexts } from "./words.ts";

addTexts(texts);
addGerman(() => import("../../src/askback/messages/de.json?app&texts"));
await showTexts();
customElements.define("askback-time", LiveTime);
customElements.define("askback-copy", CopyButton);
customElements.define("askback-modal", Modal);
customElements.define("askback-request", AskbackRequest);
customElements.define("askback-app", AskbackApp);
