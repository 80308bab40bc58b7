import { html, type Template } from "../../elements/html.ts";

export interface Column<T> {
  readonly label: string;
  /** What the column shows of a row. */
  draw(row: T): unknown;
  /** Without a visible label, such as a column of buttons. */
  readonly quiet?: boolean;
}

/** Draw a table; where it is narrow each row is a block, and each cell has the label of its column beside it. */
export const drawTable = <T>(
  caption: string,
  columns: readonly Column<T>[],
  rows: readonly T[],
): Template => html`<div class="table" role="region" tabindex="0" aria-label=${caption}>
  <table>
    <caption class="hidden">${caption}</caption>
    <thead><tr>${columns.map(({ label, quiet }) => html`<th scope="col"><span class=${quiet && "hidden"}>${label}</span></th>`)}</tr></thead>
    <tbody>${rows.map(
      (row) =>
        html`<tr>${columns.map(({ label, quiet, draw }) => html`<td data-label=${!quiet && label}><div>${draw(row)}</div></td>`)}</tr>`,
    )}</tbody>
  </table>
</div>`;
