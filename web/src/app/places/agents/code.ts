import { encode } from "uqr";
import { html, Template } from "../../../elements/html.ts";

/** White modules around the code, without which a camera does not find it. */
const QUIET_ZONE = 4;

/** Draw a text as a QR code: dark on white, also where the page is dark. `label` says what it is. */
export function drawCode(text: string, label: string): Template {
  const { data, size } = encode(text, { border: QUIET_ZONE });
  const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
  // A template of its own: the parts of an SVG cannot wait for their values. It is made of numbers alone.
  const code = new Template([`<svg viewBox="0 0 ${size} ${size}"><path d="${path.join("")}"></path></svg>`]);
  return html`<div class="code" role="img" aria-label=${label}>${code}</div>`;
}
