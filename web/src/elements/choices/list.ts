import type { OptionValue } from "../../core/form.ts";
import { typed } from "../fieldview.ts";
import { html, type Template } from "../html.ts";
import { type Choice, type Item, itemsOf, rows } from "../options.ts";

/** From this many options on, a dropdown becomes a list with a filter (D20). */
const LONG = 8;
/** From this many options on, so does every other choice. */
const VERY_LONG = 50;
/** The maximum number of options that are drawn; the filter finds the others. */
const DRAWN = 100;

/** The text in the filter of a long list; `kept` are the options that were chosen before, which stay visible. */
export interface Filter {
  readonly text: string;
  readonly kept: ReadonlySet<OptionValue>;
}

export const UNFILTERED: Filter = { text: "", kept: new Set() };

/** Whether a choice is drawn as a list with a filter. */
export function isLong({ field: { options, type, widget }, pick }: Choice): boolean {
  const explained = options.some((option) => option.description || option.style === "danger");
  const listed =
    widget === "dropdown" || type === "multiselect" || (type === "select" && !widget && !explained);
  return !pick && options.length > (listed ? LONG : VERY_LONG);
}

/** Arrow Down leads from the filter into the list; Enter takes the only option that is left. */
function steer(event: KeyboardEvent, { kept }: Filter, shown: readonly Item[]): void {
  if (event.isComposing || !["Enter", "ArrowDown"].includes(event.key)) return;
  event.preventDefault();
  const found = shown.filter(({ other, option }) => !other && !kept.has(option.value ?? ""));
  const [only, ...more] = found.length > 0 ? found : shown;
  const list = (event.currentTarget as HTMLElement).closest("fieldset");
  if (event.key === "Enter") {
    if (only && more.length === 0) only.set(true);
  } else if (only) list?.querySelector<HTMLElement>(`#${only.id}`)?.focus();
}

/** Draw a list with a filter: what matches, as far as it goes, and what is chosen. */
export function drawList(view: Choice, filter: Filter, search: (text: string) => void): Template {
  const { text, kept } = filter;
  const wanted = text.trim().toLocaleLowerCase();
  const stays = ({ other, on, option }: Item): boolean => other || on || kept.has(option.value ?? "");
  const found = itemsOf(view).filter(
    (item) =>
      stays(item) ||
      `${item.option.label} ${item.option.description ?? ""}`.toLocaleLowerCase().includes(wanted),
  );
  const shown = found.filter((item, at) => at < DRAWN || stays(item));
  const drawn = shown.filter(({ other }) => !other).length;
  const cut = shown.length < found.length;
  const count = { shown: drawn, all: view.field.options.length };
  const id = `${view.uid}-filter`;
  return html`<div>
      <label class="hint" for=${id}>${view.say("choices.filter")}</label>
      <input
        id=${id}
        type="search"
        autocomplete="off"
        disabled=${view.disabled}
        .value=${text}
        .oninput=${(event: Event) => search(typed(event))}
        .onkeydown=${(event: KeyboardEvent) => steer(event, filter, shown)}
      />
      <p class="hint" role="status">${cut ? view.say("choices.first", { ...count, found: found.length }) : wanted && view.say("choices.count", count)}</p>
    </div>
    ${rows(view, shown, "options scroll")}`;
}
