import texts from "../../../../src/askback/messages/en.json?declining&texts" with { type: "json" };
import type { Form } from "../../core/generated/wire.ts";
import { isOpen } from "../../core/machine.ts";
import { addTexts } from "../../core/messages.ts";
import { collectValues } from "../entries.ts";
import type { FormKind } from "../formkind.ts";
import { html, type Template } from "../html.ts";

addTexts(texts);

/** A form whose agent gets what is entered also when the person declines (F20). */
const withDeclining = (Base: typeof FormKind) =>
  class extends Base {
    override decline(reason: "skipped" | "dismissed"): void {
      this.host.send("decline", { reason, values: collectValues(this.open, this.draft, this.host.locale) });
    }

    override drawActions(form: Form): Template {
      const warns = !this.view.request?.declined_once && isOpen(this.view);
      return html`${warns && html`<p class="hint">${this.getText("decline_sends")}</p>`}${super.drawActions(form)}`;
    }
  };

export const mixins = { declining: withDeclining };
