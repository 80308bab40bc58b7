import texts from "../../../../src/askback/messages/en.json?sources&texts" with { type: "json" };
import { allFields, type ChoiceField, type Values } from "../../core/form.ts";
import type { Answer, Field, Form, InputRequest, Option, SourceOption } from "../../core/generated/wire.ts";
import { isOpen } from "../../core/machine.ts";
import { addTexts } from "../../core/messages.ts";
import { ownValue } from "../../core/path.ts";
import { listStyles } from "../choices/list.css.ts";
import type { Entry } from "../entries.ts";
import { group } from "../field.ts";
import { type FieldView, typedText } from "../fieldview.ts";
import type { FormKind } from "../formkind.ts";
import { html, type Template } from "../html.ts";
import { type Choice, drawRows, type Item, itemsOf } from "../options.ts";
import { Search } from "./search.ts";

addTexts(texts);

const isSourced = (field: Field): field is ChoiceField => "options" in field && !!field.options_from;

/** The options of both lists, each value once. */
const joined = (first: readonly Option[], second: readonly Option[]): Option[] => [
  ...new Map([...first, ...second].map((option) => [option.value, option])).values(),
];

/** The form with more options in one field. */
function withOptions(form: Form, id: string, options: readonly Option[]): Form {
  const filled = <F extends Field>(field: F): F =>
    field.id === id && "options" in field ? { ...field, options: joined(field.options, options) } : field;
  return {
    ...form,
    fields: form.fields?.map(filled) ?? null,
    sections: form.sections?.map((section) => ({ ...section, fields: section.fields.map(filled) })) ?? null,
  };
}

/** The options of an answer, with the labels that the person saw. */
function answered(field: Field, answer: Answer | null | undefined): Option[] {
  const labels = ownValue(answer?.shown?.options, field.id) ?? [];
  const values = [ownValue(answer?.values as Values | undefined, field.id) ?? []].flat() as (
    | string
    | number
  )[];
  return labels.map((label, at) => ({ value: values[at] ?? label, label }));
}

/** Arrow Down leads from the search into the list; Enter takes the only option. */
function steer(event: KeyboardEvent, items: readonly Item[]): void {
  if (event.isComposing || !["Enter", "ArrowDown"].includes(event.key)) return;
  event.preventDefault();
  const [only, ...more] = items.filter(({ disabled }) => !disabled);
  const list = (event.currentTarget as HTMLElement).closest("fieldset");
  if (event.key === "ArrowDown") list?.querySelector<HTMLElement>(`#${only?.id}`)?.focus();
  else if (only && more.length === 0) only.set(true);
}

/**
 * A form with fields whose options come from a source of the server.
 *
 * Its fields have the options that were chosen so far, so that everything else reads a choice as usual.
 */
export const withSources = (Base: typeof FormKind) =>
  class extends Base {
    #known: ReadonlyMap<string, readonly Option[]> = new Map();
    readonly #searches = new Map<string, Search>();

    constructor(...[host]: ConstructorParameters<typeof FormKind>) {
      super(host);
      host.root.adoptedStyleSheets.push(listStyles);
    }

    override adopt(request: InputRequest): void {
      const { form } = request;
      let filled = form ?? {};
      for (const field of allFields(filled).filter(isSourced)) {
        const known = [...answered(field, request.submitted), ...(this.#known.get(field.id) ?? [])];
        filled = withOptions(filled, field.id, known);
      }
      super.adopt(form ? { ...request, form: filled } : request);
      for (const [id, { options = [] }] of this.draft) this.#learn(id, options);
    }

    /** What is chosen is kept with its label, which the form does not have. */
    override change(field: Field, patch: Partial<Entry>): void {
      const { chosen } = patch;
      const known = this.#known.get(field.id)?.filter(({ value }) => chosen?.includes(value));
      super.change(field, chosen ? { ...patch, options: known?.length ? known : undefined } : patch);
    }

    /** Search for the first time when the field is drawn for somebody who may answer. */
    #searchOf(field: Field): Search {
      const { host } = this;
      let search = this.#searches.get(field.id);
      if (!search) {
        search = new Search(host.client, host.view.request?.id ?? "", field.id, () => host.redraw());
        this.#searches.set(field.id, search);
      }
      return search;
    }

    #learn(id: string, options: readonly Option[]): void {
      if (options.length === 0) return;
      this.#known = new Map(this.#known).set(id, joined(this.#known.get(id) ?? [], options));
      this.form = withOptions(this.form, id, options);
    }

    override drawField(view: FieldView): Template | false {
      const { field } = view;
      return isSourced(field) && isOpen(this.view)
        ? this.#drawSearch({ ...view, field })
        : super.drawField(view);
    }

    #drawSearch(view: Choice): Template {
      const { field, getText, uid, disabled } = view;
      const search = this.#searchOf(field);
      const { result: found } = search;
      const id = `${uid}-filter`;
      const isFound = (option: Partial<Option>): boolean =>
        found.options.some(({ value }) => value === option.value);
      // What was chosen stays in its place, or comes first if this search has not found it; what can be unticked can be ticked again.
      const stays = ({ value }: Option): boolean =>
        field.type === "multiselect" || view.entry.chosen.includes(value);
      const chosen = field.options.filter((option) => stays(option) && !isFound(option));
      const { tree } = field.options_from ?? {};
      const below = tree ? found.options.filter((option) => option.has_children) : [];
      // A folder that cannot be chosen is only a button.
      const choices = found.options.filter((option) => !(option.disabled && below.includes(option)));
      const options = [...chosen, ...joined(choices, [])];
      const items = itemsOf({ ...view, field: { ...field, options } }).map((item): Item => {
        const option = item.option as SourceOption;
        const { value, label, description } = option;
        const set = (on: boolean): void => {
          this.#learn(field.id, [{ value, label, description }]);
          item.set(on);
        };
        return { ...item, set, disabled: option.disabled };
      });
      const go = (path: readonly SourceOption[]): void => {
        this.host.focusOn(`#${id}`);
        search.search(path);
      };
      const inside = found.path.at(-1);
      const shown = found.options.length;
      const status =
        found.state === "ready"
          ? getText(found.cursor ? "sources.first" : "sources.count", { shown })
          : getText(`sources.${found.state}`);
      const fresh = items.filter(({ option }) => isFound(option));
      return group(
        view,
        html`<div class="other">
            ${inside && html`<p>${found.path.map(({ label }) => label).join(" › ")} <button type="button" class="quiet" aria-disabled=${disabled} .onclick=${() => !disabled && go(found.path.slice(0, -1))}>${getText("sources.up")}</button></p>`}
            <label class="hint" for=${id}>${getText("sources.search")}</label>
            <input
              id=${id}
              type="search"
              autocomplete="off"
              maxlength="200"
              disabled=${disabled}
              .value=${found.text}
              .oninput=${(event: Event) => search.type(typedText(event))}
              .onkeydown=${(event: KeyboardEvent) => steer(event, fresh.length > 0 ? fresh : items)}
            />
            <p class="hint" role="status">${status}</p>
            ${found.state === "failed" && html`<button type="button" .onclick=${() => search.retry()}>${getText("sources.again")}</button>`}
          </div>
          ${below.length > 0 && html`<div class="answers" role="group" aria-label=${getText("sources.below")}>${below.map((option) => html`<button type="button" aria-disabled=${disabled} aria-label=${getText("sources.open", { label: option.label })} .onclick=${() => !disabled && go([...found.path, option])}>${option.label} ›</button>`)}</div>`}
          ${drawRows(view, items, "options scroll")}
          ${found.state === "ready" && found.cursor && html`<button type="button" class="quiet" .onclick=${() => search.loadMore()}>${getText("sources.more")}</button>`}`,
      );
    }
  };

export const mixins = { sources: withSources };
