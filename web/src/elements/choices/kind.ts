import texts from "../../../../src/askback/messages/en.json?choices&texts" with { type: "json" };
import { allFields, isYesNo, nameOf, type Values } from "../../core/form.ts";
import type { Field, Form, InputRequest, Section } from "../../core/generated/wire.ts";
import { isOpen } from "../../core/machine.ts";
import { addTexts } from "../../core/messages.ts";
import { isWithin, ownValue, valuePath } from "../../core/path.ts";
import { css } from "../element.ts";
import { collectValues, type Entry, oneClick } from "../entries.ts";
import type { FormAnswer } from "../events.ts";
import { group } from "../field.ts";
import { type FieldView, hintOf } from "../fieldview.ts";
import { drawActions, submitBlockedReason, uidOf } from "../form.ts";
import type { FormKind } from "../formkind.ts";
import { html, type Template } from "../html.ts";
import type { ErrorTarget } from "../kind.ts";
import { onDemand } from "../ondemand.ts";
import { listStyles } from "./list.css.ts";
import { drawList, type Filter, isLong, UNFILTERED } from "./list.ts";
import { hiddenIdsOf, onlyField, openForm, skippedIdsOf, stepOf } from "./open.ts";
import { placeOf, type RowPlace } from "./rows.ts";
import { drawSection } from "./section.ts";

addTexts(texts);

/** Sections and rows. */
const sectionStyles = css`
  .steps {
    accent-color: var(--_accent);
    appearance: none;
    background: var(--_line);
    block-size: 0.25rem;
    border: 0;
    border-radius: 99rem;
    inline-size: 100%;
    overflow: hidden;
  }
  .steps::-webkit-progress-bar {
    background: none;
  }
  .steps::-webkit-progress-value {
    background: var(--_accent);
  }
  .steps::-moz-progress-bar {
    background: var(--_accent);
  }
  fieldset.section {
    display: grid;
    gap: var(--_gap);
  }
  fieldset.section:not(:first-child) {
    border-block-start: 1px solid var(--_line);
    padding-block-start: 1.25rem;
  }
  fieldset.section > legend {
    float: inline-start;
    font-size: 1.0625rem;
    font-weight: 600;
    inline-size: 100%;
  }
  .section > button.clear {
    inset-block-start: 0.6875rem;
  }
  .rows,
  .rows > [role="group"] {
    display: grid;
    gap: 1rem;
  }
  .rows > [role="group"] > :not(:first-child) {
    margin-inline-start: 1rem;
  }
`;

/** The first control of a field. */
const firstControlSelector = (uid: string): string => `#${uid}, #${uid}-0, #${uid}-filter`;

/** A field that is not answered: its label, its hint, and a text. */
const drawReadOnly = (view: FieldView, text: unknown): Template =>
  html`<div class="field" part="field">
    <p class=${view.hasTitle ? "hidden" : "label"}>${view.field.label}</p>
    ${hintOf(view) && html`<div class="hint">${hintOf(view)}</div>`}
    <p>${text}</p>
  </div>`;

/** A form with long lists, conditions, read-only fields, or questions that can be skipped. */
export const withChoices = (Base: typeof FormKind) =>
  class extends Base {
    #filters: ReadonlyMap<string, Filter> = new Map();
    #hidden: ReadonlySet<string> = new Set();

    /** The step that is shown, by the place of its section; after the last one come all answers. */
    #step = 0;
    #errors: unknown;
    /** The field that answers the form alone. */
    #control: string | undefined;
    /** What is drawn so far of a row, and of the rows of a field. */
    #row: unknown[] = [];
    #rows: unknown[] = [];

    constructor(...[host]: ConstructorParameters<typeof FormKind>) {
      super(host);
      host.root.adoptedStyleSheets.push(sectionStyles, listStyles);
    }

    override get open(): Form {
      const open = openForm(this.form, this.draft, this.host.locale);
      if (this.#control !== undefined) return onlyField(open, this.#control);
      const step = this.#isStepped && open.sections?.[this.#step];
      return step ? { ...open, sections: [step] } : open;
    }

    get #isStepped(): boolean {
      return this.form.layout === "steps" && this.form.sections != null;
    }

    /** Whether one field answers the form. */
    get #isAlone(): boolean {
      return (this.form.submit ?? "form") !== "form";
    }

    /** The places of the sections in which something is shown. */
    get #steps(): number[] {
      const hidden = hiddenIdsOf(this.form, this.draft, this.host.locale);
      return (this.form.sections ?? []).flatMap(({ fields }, at) =>
        fields.some(({ id }) => !hidden.has(id)) ? [at] : [],
      );
    }

    /** New errors open the step of the first of them. */
    override adopt(request: InputRequest): void {
      super.adopt(request);
      const { errors } = this.view;
      if (errors === this.#errors) return;
      this.#errors = errors;
      const at = errors[0] && stepOf(this.form, errors[0].path);
      if (at !== undefined && this.#isStepped) this.#step = at;
    }

    override errorTarget(path: string): ErrorTarget | undefined {
      const target = super.errorTarget(path);
      const at = stepOf(this.form, path);
      if (!target || at === undefined || !this.#isStepped || at === this.#step) return target;
      const field = allFields(this.form).find(({ id }) => isWithin(path, valuePath(id))) as Field;
      return { ...target, go: () => this.#open(at, firstControlSelector(uidOf(this.form, field))) };
    }

    #open(step: number, focus = "#step"): void {
      this.#step = step;
      this.host.focusOn(focus);
    }

    /** A step that passes its check leads to the next one; only what comes last is sent. */
    protected override proceed(values: Values): void {
      const next = this.#steps.find((at) => at > this.#step) ?? this.form.sections?.length ?? 0;
      if (this.#isStepped && this.form.sections?.[this.#step]) this.#open(next);
      else super.proceed(values);
    }

    override submit(): void {
      if (this.#isAlone && this.#control === undefined) {
        const focused = this.host.root.activeElement?.id.match(/^f\d+/)?.[0];
        const fields = allFields(this.form);
        const field =
          fields.find((item) => uidOf(this.form, item) === focused) ?? (fields.length === 1 && fields[0]);
        if (field) this.#answer(field);
      } else super.submit();
    }

    override change(field: Field, patch: Partial<Entry>): void {
      this.#control = undefined;
      super.change(field, patch);
    }

    #answer({ id }: Field): void {
      this.#control = id;
      super.submit();
    }

    override drawActions(form: Form): Template {
      // Without a submit button, browsers ignore Enter in a form of several lines.
      if (this.#isAlone) return html`<button type="submit" hidden></button>${drawActions(this, form, false)}`;
      if (!this.#isStepped) return super.drawActions(form);
      const before = this.#steps.findLast((at) => at < this.#step);
      const back = (): void => this.#open(before ?? 0);
      const section = form.sections?.[this.#step];
      const open = isOpen(this.view);
      const gate = submitBlockedReason(this);
      const submit = section
        ? html`${gate && html`<p class="note" id="gate">${gate}</p>`}
            <button type="submit" class="primary" part="submit" aria-disabled=${!!gate || !open || !!this.revision?.isFresh} aria-describedby=${gate && "gate"}>${section.submit_label || this.getText("choices.next")}</button>`
        : undefined;
      const leave =
        before !== undefined &&
        open &&
        html`<button type="button" .onclick=${back}>${this.getText("choices.back")}</button>`;
      return drawActions(this, form, submit, leave);
    }

    #drawSteps(request: InputRequest, sections: readonly Section[]): Template {
      const { getText, form } = this;
      const steps = this.#steps;
      const section = sections[this.#step];
      if (section && !steps.includes(this.#step)) this.#step = steps[0] ?? 0;
      const at = section ? steps.indexOf(this.#step) + 1 : steps.length + 1;
      const title = section ? (section.title ?? "") : getText("choices.review");
      return html`<div class="other">
          <p class="hint" id="step" tabindex="-1">${getText("choices.step", { at, all: steps.length + 1, title })}</p>
          <progress class="steps" aria-hidden="true" max=${steps.length + 1} .value=${at}></progress>
        </div>
        ${sections.map(
          (item, place) =>
            steps.includes(place) &&
            html`<div hidden=${place !== this.#step}>${drawSection(this, request, form, item, place)}</div>`,
        )}
        ${!section && this.#drawReview(steps)}`;
    }

    #drawReview(steps: readonly number[]): Template {
      const { getText, form } = this;
      const { locale } = this.host;
      const values = collectValues(openForm(form, this.draft, locale), this.draft, locale);
      const text = (field: Field): string => {
        if (field.sensitive) return getText("choices.hidden");
        if (this.draft.get(field.id)?.skipped) return getText("choices.skipped");
        const fixed = ownValue(form.initial_values, field.id) ?? field.default ?? null;
        return (
          onDemand.valueText?.(
            field,
            { values: field.readonly ? { [field.id]: fixed } : values },
            locale,
            getText,
          ) || getText("not_given")
        );
      };
      const draw = ({ title, fields }: Section, at: number): Template | false => {
        const label = getText("choices.change_of", { title: title ?? String(at + 1) });
        return (
          steps.includes(at) &&
          html`<div>
            <p><strong>${title}</strong> <button type="button" class="quiet" aria-label=${label} .onclick=${() => this.#open(at)}>${getText("choices.change")}</button></p>
            <dl>${fields
              .filter(({ id }) => !this.#hidden.has(id))
              .map((field) => html`<div><dt>${nameOf(form, field)}</dt><dd>${text(field)}</dd></div>`)}</dl>
          </div>`
        );
      };
      return html`<div class="given">${form.sections?.map(draw)}</div>`;
    }

    override drawBody(request: InputRequest): unknown {
      this.#hidden = hiddenIdsOf(this.form, this.draft, this.host.locale);
      const { sections } = this.form;
      if (this.#isStepped) return this.#drawSteps(request, sections ?? []);
      const isShown = ({ fields }: Section): boolean => fields.some(({ id }) => !this.#hidden.has(id));
      return (
        sections?.map(
          (section, at) => isShown(section) && drawSection(this, request, this.form, section, at),
        ) ?? super.drawBody(request)
      );
    }

    override drawField(view: FieldView): Template | false {
      const place = placeOf(this.form, view.field.id);
      return place ? this.#drawInRow(view, place) : this.#drawField(view);
    }

    /** Draw all rows of a field with the last field of the last row. */
    #drawInRow(view: FieldView, { rows, row, markdown, isLastOfRow: ends }: RowPlace): Template | false {
      this.#row.push(this.#drawField(view));
      if (!ends) return false;
      this.#rows.push(
        row.fields ? html`<div role="group" aria-label=${row.label}>${this.#row}</div>` : this.#row,
      );
      this.#row = [];
      if (row !== rows.rows.at(-1)) return false;
      const drawn = this.#rows;
      this.#rows = [];
      const hint = onDemand.rich?.(markdown, this.getText) ?? rows.description;
      const id = `${view.uid}-rows`;
      const name = rows.label || this.form.title;
      return (
        !this.#hidden.has(`${rows.id}\n${row.id}\ndecision`) &&
        html`<div class="rows" role="group" aria-labelledby=${id}>
          <p class=${name === this.form.title ? "hidden" : "label"} id=${id}>${name}</p>
          ${hint && html`<div class="hint">${hint}</div>`}
          ${drawn}
        </div>`
      );
    }

    #drawField(view: FieldView): Template | false {
      const { field, getText } = view;
      if (this.#hidden.has(field.id)) return false;
      if (field.readonly) {
        const { preset = null } = view;
        const answer = { values: { [field.id]: preset } };
        return drawReadOnly(view, onDemand.valueText?.(field, answer, this.host.locale, getText));
      }
      if (view.entry.skipped)
        return html`${drawReadOnly(view, getText("choices.skipped"))}${this.#drawSkip(view, "unskip")}`;
      if (this.#isAlone) return this.#drawAlone(view);
      const skip = field.allow_skip && this.#drawSkip(view, "skip");
      return html`${this.#drawOpen(view)}${skip}`;
    }

    /** A field that answers the form: an option does immediately where the first control counts, otherwise its button does. */
    #drawAlone(view: FieldView): Template {
      const { field, getText, disabled } = view;
      const single =
        isYesNo(field) ||
        (field.type !== "multiselect" &&
          "options" in field &&
          !field.options_from &&
          field.options.length <= 8);
      const pick = (next: Partial<Entry>): void => {
        this.change(field, next);
        if (next.chosen?.length) this.#answer(field);
      };
      const quick = this.form.submit === "first" && single;
      const label = this.form.submit_label || getText("submit");
      const button = html`<div class="actions"><button type="button" class="primary" aria-disabled=${disabled} aria-label=${`${label}: ${field.label}`} .onclick=${() => !disabled && this.#answer(field)}>${label}</button></div>`;
      return html`${this.#drawOpen(quick ? { ...view, pick } : view)}${(!quick || view.entry.other) && button}`;
    }

    #drawOpen(view: FieldView): Template | false {
      const { field } = view;
      if (!("options" in field) || field.options_from) return super.drawField(view);
      const choice = { ...view, field };
      if (!isLong(choice)) return super.drawField(view);
      const filter = this.#filters.get(field.id) ?? UNFILTERED;
      return group(
        view,
        drawList(choice, filter, (text) => this.#search(field, text)),
      );
    }

    #search(field: Field, text: string): void {
      const kept = new Set(this.draft.get(field.id)?.chosen);
      this.#filters = new Map(this.#filters).set(field.id, { text, keptValues: kept });
      this.host.redraw();
    }

    #drawSkip({ field, uid, disabled, getText }: FieldView, what: "skip" | "unskip"): Template | false {
      const toggle = (): void => {
        this.change(field, { skipped: what === "skip" });
        if (what === "skip" && oneClick(this.form)) this.submit();
        else this.host.focusOn(`#${uid}-skip`);
      };
      const label = getText(`choices.${what}_of`, { label: field.label });
      return (
        !disabled &&
        html`<div><button type="button" class="quiet" id=${`${uid}-skip`} aria-label=${label} .onclick=${toggle}>${getText(`choices.${what}`)}</button></div>`
      );
    }

    protected override send(body: FormAnswer): void {
      const hidden = hiddenIdsOf(this.form, this.draft, this.host.locale);
      const skipped = [...skippedIdsOf(this.form, this.draft)].filter((id) => !hidden.has(id));
      const control = this.#control;
      super.send({
        ...body,
        ...(skipped.length > 0 && { skipped }),
        ...(control !== undefined && { control }),
      });
    }
  };

export const mixins = { choices: withChoices };
