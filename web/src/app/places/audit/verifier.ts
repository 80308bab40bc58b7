import type { AuditVerification } from "../../../core/generated/wire.ts";
import { html, type Template } from "../../../elements/html.ts";
import type { PlaceElement } from "../../place.ts";
import { verificationRecord } from "../../verification.ts";

/** Verifies the log piece by piece, from its first entry to the newest. */
export class Verifier {
  #lastVerification: AuditVerification | undefined;
  #running = false;
  #failed = false;

  constructor(private readonly place: PlaceElement) {}

  stop(): void {
    this.#running = false;
  }

  async #run(): Promise<void> {
    this.#running = true;
    this.#failed = false;
    this.#lastVerification = undefined;
    this.place.redraw();
    let query = "";
    try {
      while (this.#running) {
        const verification = await this.place.app.client.get<AuditVerification>(
          `/v1/audit/verification${query}`,
        );
        this.#lastVerification = verification;
        if (verification.complete) verificationRecord.keep(verification.end.seq, this.place.app.client.now);
        if (verification.complete || verification.broken) break;
        query = `?after=${verification.end.seq}&hash=${verification.end.hash}`;
        this.place.redraw();
      }
    } catch {
      this.#failed = true;
    }
    this.#running = false;
    this.place.redraw();
  }

  drawButton(): Template {
    const { getText } = this.place;
    const run = this.#running;
    const press = (): void => {
      if (run) this.stop();
      else void this.#run();
    };
    // One button, which keeps the focus.
    return html`<button type="button" class=${!run && "primary"} .onclick=${press}>${getText(run ? "audit.stop" : "audit.verify")}</button>`;
  }

  draw(): Template {
    return html`<div role="status">${this.#failed ? html`<p class="problem">${this.place.getText("app.failed_hint")}</p>` : this.#drawResult()}</div>`;
  }

  #drawResult(): Template | false {
    const { getText } = this.place;
    const verification = this.#lastVerification;
    if (!verification) return this.#running && html`<p class="muted">${getText("audit.verifying")}</p>`;
    const { broken, complete, end, head } = verification;
    if (broken)
      return html`<p class="problem"><b>${getText("audit.broken", { seq: broken.seq })}</b> ${broken.why}</p>`;
    if (!complete)
      return html`<p class="muted">${getText("audit.progress", { done: end.seq, all: head.seq })}</p>`;
    const { status, key } = head.seal;
    return html`<p class=${status === "sealed" ? "good" : "problem"}>
      <b>${getText("audit.complete", { seq: end.seq })}</b> ${getText(`audit.seal_${status}`, { key: key ?? "" })}</p>
      <p class="muted">${getText("audit.head")} <code dir="ltr">${head.seq}:${head.hash}</code> <askback-copy .text=${`${head.seq}:${head.hash}`}></askback-copy></p>`;
  }
}
