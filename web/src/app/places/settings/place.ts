import texts from "../../../../../src/askback/messages/en.json?place=settings&texts" with { type: "json" };
import { addTexts } from "../../../core/messages.ts";
import { SectionedPlace } from "../../section.ts";
import { formStyles } from "../../ui/forms.css.ts";
import { Browser } from "./browser.ts";
import { Health } from "./health.ts";
import { Limits } from "./limits.ts";
import { Policy } from "./policy.ts";
import { settingsStyles } from "./settings.css.ts";
import { Webhooks } from "./webhooks.ts";

addTexts(texts);

/** What a person chooses for this browser, and what is set for everybody. */
export class Place extends SectionedPlace {
  static override styles = [...SectionedPlace.styles, formStyles, settingsStyles];
  readonly name = "settings";
  protected readonly sections = {
    browser: new Browser(this),
    policy: new Policy(this),
    limits: new Limits(this),
    webhooks: new Webhooks(this),
    health: new Health(this),
  };
}
