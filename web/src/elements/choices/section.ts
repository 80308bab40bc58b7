import type { Form, InputRequest, Section } from "../../core/generated/wire.ts";
import { isOpen } from "../../core/machine.ts";
import { drawDescription, drawFields, type FormHost } from "../form.ts";
import { html, type Template } from "../html.ts";

/** Skip a section; the button goes, so the focus stays at the section's title. */
function skipBy({ currentTarget }: Event, host: FormHost, section: Section): void {
  const legend = (currentTarget as HTMLElement).closest("fieldset")?.querySelector("legend");
  host.skip(section);
  legend?.focus();
}

/** Draw a section, which is at this place in the form. */
export function drawSection(
  host: FormHost,
  request: InputRequest,
  form: Form,
  section: Section,
  index: number,
): Template {
  const path = `form.sections[${index}]`;
  const isBegun = section.optional && isOpen(host.view) && host.isBegun(section);
  return html`<fieldset class="section" id=${`section-${index}`}>
    <legend tabindex="-1">${section.title} ${section.optional && html`<span class="tag">${host.getText("optional")}</span>`}</legend>
    ${isBegun && html`<button type="button" class="quiet clear" .onclick=${(event: Event) => skipBy(event, host, section)}>${host.getText("skip_section")}</button>`}
    ${drawDescription(host, request, section.description, `${path}.description`)}
    ${drawFields(host, request, form, section.fields, path)}
  </fieldset>`;
}
