import type { OptionValue } from "../../core/form.ts";
import { typedText } from "../fieldview.ts";
import { html, type Template } from "../html.ts";
import { type Choice, drawRows, type Item, itemsOf } from "../options.ts";

/** From this many options on, a dropdown becomes a list with a filter (D20). */
const MAX_DROPDOWN = 8;
/** From this many options on, so does every other choice. */
const MAX_CHOICES = 50;
/** The maximum number of options that are drawn; the filter finds the others. */
const MAX_DRAWN = 100;

/** The text in the filter of a long list; `keptValues` are the options that were chosen before, which stay visible. */
export interface Filter {
  readonly text: string;
  readonly keptValues: ReadonlySet<OptionValue>;
}

export const UNFILTERED: Filter = { text: "", keptValues: new Set() };

/** Whether a choice is drawn as a list with a filter. */
export function isLong({ field: { options, type, widget }, pick }: Choice): boolean {
  const hasDescriptions = options.some((option) => option.description || option.style === "danger");
  const isListed =
    widget === "dropdown" || type === "multiselect" || (type === "select" && !widget && !hasDescriptions);
  return !pick && options.length > (isListed ? MAX_DROPDOWN : MAX_CHOICES);
}

/** Arrow Down leads from the filter into the list; Enter takes the only option that is left. */
function onFilterKey(event: KeyboardEvent, { keptValues }: Filter, shownItems: readonly Item[]): void {
  if (event.isComposing || !["Enter", "ArrowDown"].includes(event.key)) return;
  event.preventDefault();
  const matchingItems = shownItems.filter(
    ({ other, option }) => !other && !keptValues.has(option.value ?? ""),
  );
  const [onlyItem, ...otherItems] = matchingItems.length > 0 ? matchingItems : shownItems;
  const list = (event.currentTarget as HTMLElement).closest("fieldset");
  if (event.key === "Enter") {
    if (onlyItem && otherItems.length === 0) onlyItem.set(true);
  } else if (onlyItem) list?.querySelector<HTMLElement>(`#${onlyItem.id}`)?.focus();
}

/** Draw a list with a filter: what matches, as far as it goes, and what is chosen. */
export function drawList(view: Choice, filter: Filter, search: (text: string) => void): Template {
  const { text, keptValues } = filter;
  const searchText = text.trim().toLocaleLowerCase();
  const alwaysShown = ({ other, isChosen, option }: Item): boolean =>
    other || isChosen || keptValues.has(option.value ?? "");
  const matchingItems = itemsOf(view).filter(
    (item) =>
      alwaysShown(item) ||
      `${item.option.label} ${item.option.description ?? ""}`.toLocaleLowerCase().includes(searchText),
  );
  const shownItems = matchingItems.filter((item, index) => index < MAX_DRAWN || alwaysShown(item));
  const drawnCount = shownItems.filter(({ other }) => !other).length;
  const truncated = shownItems.length < matchingItems.length;
  const count = { shown: drawnCount, all: view.field.options.length };
  const id = `${view.uid}-filter`;
  return html`<div>
      <label class="hint" for=${id}>${view.getText("choices.filter")}</label>
      <input
        id=${id}
        type="search"
        autocomplete="off"
        disabled=${view.disabled}
        .value=${text}
        .oninput=${(event: Event) => search(typedText(event))}
        .onkeydown=${(event: KeyboardEvent) => onFilterKey(event, filter, shownItems)}
      />
      <p class="hint" role="status">${truncated ? view.getText("choices.first", { ...count, found: matchingItems.length }) : searchText && view.getText("choices.count", count)}</p>
    </div>
    ${drawRows(view, shownItems, "options scroll")}`;
}
