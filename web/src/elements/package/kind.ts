import texts from "../../../../src/askback/messages/en.json?package&texts" with { type: "json" };
import type { InputRequest, Json, KindList } from "../../core/generated/wire.ts";
import { isOpen } from "../../core/machine.ts";
import { addTexts } from "../../core/messages.ts";
import { html, type Template } from "../html.ts";
import type { Card, Host, Kind } from "../kind.ts";
import type { SettledRequest } from "../receipt/settled.ts";

addTexts(texts);

/** What a package draws its kind with: it gets the request, and fires `askback-answer` with the data as `detail`. */
type Drawing = HTMLElement & { request?: InputRequest };
type Trouble = "unregistered" | "no_element" | "not_loaded";

/** A kind that a package of the server adds, drawn by its element where it has one; it can always be dismissed. */
class PackageKind implements Kind {
  #request: InputRequest | undefined;
  #looked: Promise<void> | undefined;
  #drawing: Drawing | undefined;
  #trouble: Trouble | undefined;

  constructor(readonly host: Host) {}

  adopt(request: InputRequest): void {
    this.#request = request;
    if (this.#drawing) this.#drawing.request = request;
    if (isOpen(this.host.view)) this.#looked ??= this.#look(request.kind);
  }

  async #look(name: string): Promise<void> {
    const found = await this.host.client?.get?.<KindList>("/v1/kinds").catch(() => undefined);
    const kind = found?.kinds.find((item) => item.name === name);
    if (found && !kind) this.#trouble = "unregistered";
    else if (kind && !kind.element) this.#trouble = "no_element";
    else this.#trouble = (await this.#load(name, kind?.element ?? "")) ? undefined : "not_loaded";
    this.host.redraw();
  }

  /** Only code of the server itself is run. */
  async #load(name: string, path: string): Promise<boolean> {
    const tag = `askback-kind-${name}`;
    try {
      const { origin, href } = new URL(path, location.href);
      if (!path || origin !== location.origin) return false;
      if (!customElements.get(tag)) {
        const { default: Element } = await import(/* @vite-ignore */ href);
        if (!customElements.get(tag)) customElements.define(tag, Element);
      }
      const drawing: Drawing = document.createElement(tag);
      drawing.request = this.#request as InputRequest;
      drawing.addEventListener("askback-answer", (event) => this.#answer(event as CustomEvent<Json>));
      this.#drawing = drawing;
      return true;
    } catch {
      return false;
    }
  }

  #answer({ detail }: CustomEvent<Json>): void {
    this.host.send("answer", { revision: this.#request?.revision ?? 1, data: detail });
  }

  drawOpen(request: InputRequest, card: Card): Template {
    const { getText, view, headingLevel } = this.host;
    return card(html`<div class="title" role="heading" aria-level=${headingLevel} id="title">${request.summary}</div>
      ${this.#trouble && html`<p role="status">${getText(`package.${this.#trouble}`, { type: request.kind })}</p>`}
      <div id="package"></div>
      <div class="actions">
        <button
          type="button"
          class="quiet"
          aria-disabled=${!isOpen(view)}
          .onclick=${() => this.host.send("decline", { reason: "dismissed" })}
        >${getText("dismiss")}</button>
      </div>`);
  }

  afterDraw(): void {
    const place = this.host.root.getElementById("package");
    if (this.#drawing && place && this.#drawing.parentNode !== place) place.append(this.#drawing);
  }

  drawSettled(settled: SettledRequest): Template | undefined {
    const { summary, answer } = settled.request;
    if (!answer) return undefined;
    return settled.drawLine(html`${settled.drawMark(true)}
      <div>
        <p><strong>${summary}</strong></p>
        ${answer.text && html`<p>${answer.text}</p>`}
        <p class="by">${settled.byline("answered_by")}</p>
        ${settled.drawLate()}
      </div>`);
  }

  submit(): void {}

  escape(): void {}

  errorTarget(): undefined {
    return undefined;
  }

  unsentText(): string {
    return "";
  }
}

export const kinds = { package: PackageKind };
