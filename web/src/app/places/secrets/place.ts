import texts from "../../../../../src/askback/messages/en.json?place=secrets&texts" with { type: "json" };
import { addTexts } from "../../../core/messages.ts";
import { SectionedPlace } from "../../section.ts";
import { formStyles } from "../../ui/forms.css.ts";
import { secretPlaceStyles } from "./secrets.css.ts";
import { Secrets } from "./secrets.ts";

addTexts(texts);

/** The names of the secrets that this person may manage, who may use them, and never a value. */
export class Place extends SectionedPlace {
  static override styles = [...SectionedPlace.styles, formStyles, secretPlaceStyles];
  readonly name = "secrets";
  protected readonly sections = { all: new Secrets(this) };
}
