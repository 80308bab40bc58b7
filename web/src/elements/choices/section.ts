import type { Field, Form, InputRequest, Section } from "../../core/generated/wire.ts";
import { isOpen } from "../../core/machine.ts";
import { EMPTY, isEntryProvided } from "../entries.ts";
import { drawDescription, drawFields, type FormHost } from "../form.ts";
import { html, type Template } from "../html.ts";

/** Skip a section by emptying its fields; the button goes, so the focus stays at the section's title. */
function skipBy({ currentTarget }: Event, host: FormHost, { fields }: Section): void {
  const legend = (currentTarget as HTMLElement).closest("fieldset")?.querySelector("legend");
  for (const field of fields) {
    host.clear?.(field);
    host.change(field, EMPTY);
  }
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
  const isGiven = (field: Field): boolean =>
    isEntryProvided(field, host.draft.get(field.id)) || host.isTyped?.(field) === true;
  const isBegun = section.optional && isOpen(host.view) && section.fields.some(isGiven);
  return html`<fieldset class="section" id=${`section-${index}`}>
    <legend tabindex="-1">${section.title} ${section.optional && html`<span class="tag">${host.getText("optional")}</span>`}</legend>
    ${isBegun && html`<button type="button" class="quiet clear" .onclick=${(event: Event) => skipBy(event, host, section)}>${host.getText("skip_section")}</button>`}
    ${drawDescription(host, request, section.description, `${path}.description`)}
    ${drawFields(host, request, form, section.fields, path)}
  </fieldset>`;
}
