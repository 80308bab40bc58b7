import texts from "../../../../../src/askback/messages/en.json?place=agents&texts" with { type: "json" };
import { addTexts } from "../../../core/messages.ts";
import { SectionedPlace } from "../../section.ts";
import { agentStyles } from "./agents.css.ts";
import { Agents } from "./agents.ts";
import { Browsers } from "./browsers.ts";
import { Tokens } from "./tokens.ts";

addTexts(texts);

/** Who may ask and who may answer: agents with their folders, browsers that are signed in, and tokens. */
export class Place extends SectionedPlace {
  static override styles = [...SectionedPlace.styles, agentStyles];
  readonly name = "agents";
  protected readonly sections = {
    agents: new Agents(this),
    browsers: new Browsers(this),
    tokens: new Tokens(this),
  };
}
