/** The place of a control in the tables of a page, which it keeps when a row above it leaves. */
export interface TablePlace {
  readonly table: number;
  readonly row: number;
  readonly control: number;
}

const CONTROL_SELECTOR = "a[href], button, summary, input, select";

/** Return the place of a control; undefined outside of tables. */
export function findPlace(root: ShadowRoot, control: Element): TablePlace | undefined {
  const row = control.closest("tr");
  const table = row?.closest("tbody");
  if (!row || !table) return undefined;
  return {
    table: [...root.querySelectorAll("tbody")].indexOf(table),
    row: [...table.children].indexOf(row),
    control: [...row.querySelectorAll(CONTROL_SELECTOR)].indexOf(control),
  };
}

/** Return the control that is now at a place, or another one of its row; of the last row if there are fewer. */
export function controlAt(root: ShadowRoot, { table, row, control }: TablePlace): HTMLElement | undefined {
  const rows = root.querySelectorAll("tbody")[table]?.children ?? [];
  const controls =
    rows[Math.min(row, rows.length - 1)]?.querySelectorAll<HTMLElement>(CONTROL_SELECTOR) ?? [];
  return controls[Math.min(control, controls.length - 1)];
}
