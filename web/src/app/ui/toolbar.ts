import { html, type Template } from "../../elements/html.ts";
import { placeIcons } from "../icons.ts";

export interface Chip {
  readonly id: string;
  readonly label: string;
  /** How many there are; not shown where it is undefined. */
  readonly count?: number | undefined;
}

/** Draw a search field; `search` is called on each change, and Escape clears the field. */
export function drawSearch(label: string, value: string, search: (text: string) => void): Template {
  const onkeydown = (event: KeyboardEvent): void => {
    const field = event.target as HTMLInputElement;
    if (event.key !== "Escape" || !field.value) return;
    event.stopPropagation();
    search("");
  };
  return html`<div class="search">
    ${placeIcons.search}
    <input
      id="search"
      type="search"
      aria-label=${label}
      placeholder=${label}
      autocomplete="off"
      spellcheck="false"
      .value=${value}
      .oninput=${(event: Event) => search((event.target as HTMLInputElement).value)}
      .onkeydown=${onkeydown}
    />
  </div>`;
}

/** Draw filters of which one is chosen, each with its count. */
export const drawChips = (
  label: string,
  chips: readonly Chip[],
  selected: string,
  choose: (id: string) => void,
): Template => html`<div class="chips" role="group" aria-label=${label}>
  ${chips.map(
    ({ id, label, count }) =>
      html`<button type="button" class="chip" aria-pressed=${String(id === selected)} .onclick=${() => choose(id)}>${label}${count !== undefined && html` <span class="n">${count}</span>`}</button>`,
  )}
</div>`;

/** Draw a choice of one of several values; nothing where there is no choice. `allLabel` is the label of the empty value. */
export const drawSelect = (
  label: string,
  allLabel: string,
  options: readonly Chip[],
  selected: string,
  choose: (id: string) => void,
): Template | false =>
  (options.length > 1 || selected !== "") &&
  html`<select aria-label=${label} .onchange=${(event: Event) => choose((event.target as HTMLSelectElement).value)}>
    ${[{ id: "", label: allLabel, count: undefined }, ...options].map(
      ({ id, label, count }) =>
        html`<option value=${id} .selected=${id === selected}>${count === undefined ? label : `${label} (${count})`}</option>`,
    )}
  </select>`;
