import { html, type Template } from "../../../elements/html.ts";

export interface Choice {
  readonly value: string;
  readonly label: string;
  /** What it means. */
  readonly hint?: string;
  /** The language of the label, where it is another one. */
  readonly lang?: string;
}

/** Draw a setting of which one value is chosen. */
export const drawChoice = (
  name: string,
  legend: string,
  choices: readonly Choice[],
  selected: string,
  choose: (value: string) => void,
): Template => html`<fieldset>
  <legend>${legend}</legend>
  ${choices.map(
    ({ value, label, hint, lang }) => html`<label class="tick">
      <input type="radio" name=${name} value=${value} .checked=${value === selected} .onchange=${() => choose(value)} />
      <span><span lang=${lang}>${label}</span>${hint && html`<span class="muted">${hint}</span>`}</span>
    </label>`,
  )}
</fieldset>`;

/** Draw what is set, in words, for people who may not change it. */
export const drawFact = (legend: string, { label, hint }: Choice): Template =>
  html`<dt>${legend}</dt><dd>${label}${hint && html`<span class="muted">${hint}</span>`}</dd>`;
