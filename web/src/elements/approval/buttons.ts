import { html, type Template } from "../html.ts";
import type { Desk } from "./desk.ts";

export interface Button {
  id?: string;
  look?: string | false;
  text: unknown;
  off: boolean;
  press(): void;
}

export const drawButton = ({ id, look, text, off, press }: Button): Template =>
  html`<button type="button" id=${id} class=${look} aria-disabled=${off} .onclick=${press}>${text}</button>`;

export const isBusy = ({ host }: Desk): boolean => host.view.phase === "submitting";

/** The button that leads back to the choices. */
export const drawBack = (desk: Desk): Template =>
  drawButton({ id: "back", text: desk.host.say("sure_no"), off: isBusy(desk), press: () => desk.back() });
