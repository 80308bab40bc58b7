import { allFields, type TextField, type Values } from "../../core/form.ts";
import type { Field, Form, InputRequest } from "../../core/generated/wire.ts";
import { isTerminal } from "../../core/lifecycle.ts";
import { collectValues, type Draft, EMPTY, type Entry } from "../entries.ts";
import type { FormAnswer } from "../events.ts";
import { drawField, labelled } from "../field.ts";
import { describedBy, type FieldView } from "../fieldview.ts";
import { uidOf } from "../form.ts";
import { FormKind } from "../formkind.ts";
import { html, type Template } from "../html.ts";
import type { BodyFactory, Host } from "../kind.ts";
import type { SettledRequest } from "../receipt/settled.ts";
import { Inputs, usernameField } from "./inputs.ts";
import { secretStyles } from "./secret.css.ts";

/** Fields that are typed; what is chosen from options, which everybody knows, stays with the rest of the draft. */
const isTyped = (field: Field): boolean =>
  field.sensitive === true && !("options" in field || field.type === "boolean" || field.type === "checkbox");

/** The text for a value that is kept secret. */
const SET = { set: true };

function drawHidden(view: FieldView): Template {
  const { field, uid, error, disabled, change } = view;
  const descriptionId = describedBy(view);
  const inputType = { date: "date", time: "time", datetime: "datetime-local" }[field.type as string];
  const notifyChange = (): void => change({});
  return labelled(
    view,
    field.type === "textarea"
      ? html`<textarea
          id=${uid}
          class="secret"
          part="input"
          rows="4"
          autocomplete="off"
          spellcheck="false"
          placeholder=${field.placeholder}
          aria-required=${field.required}
          aria-invalid=${!!error}
          aria-describedby=${descriptionId}
          disabled=${disabled}
          .oninput=${notifyChange}
        ></textarea>`
      : html`<input
          id=${uid}
          class="secret"
          part="input"
          type=${inputType ?? "password"}
          autocomplete=${inputType ? "off" : "new-password"}
          spellcheck="false"
          placeholder=${field.placeholder}
          aria-required=${field.required}
          aria-invalid=${!!error}
          aria-describedby=${descriptionId}
          disabled=${disabled}
          .oninput=${notifyChange}
        />`,
  );
}

/** A form with secret fields: drafts never contain their values. */
export class SensitiveForm extends FormKind {
  readonly #inputs: Inputs;
  #makeBody: BodyFactory | undefined;

  constructor(host: Host) {
    super(host);
    host.root.adoptedStyleSheets.push(secretStyles);
    this.#inputs = new Inputs(host.root, () => this.#inputs.clear());
  }

  override adopt(request: InputRequest): void {
    if (isTerminal(request.status)) {
      this.#inputs.end();
      this.draft = this.#draftWith(() => EMPTY);
    }
    super.adopt(request);
  }

  /** The draft with other entries for what is kept secret. */
  #draftWith(entryOf: (field: Field, entry: Entry) => Entry): Draft {
    const sensitiveFields = allFields(this.form).filter(({ sensitive }) => sensitive);
    return new Map([
      ...this.draft,
      ...sensitiveFields.map(
        (field) => [field.id, entryOf(field, this.draft.get(field.id) ?? EMPTY)] as const,
      ),
    ]);
  }

  /** All that was entered, for as long as it takes to check it or to send it. */
  #enteredDraft(): Draft {
    return this.#draftWith((field, entry) =>
      isTyped(field) ? { ...EMPTY, text: this.#inputs.read(uidOf(this.form, field)) } : entry,
    );
  }

  override drawField(view: FieldView): Template | false {
    if (!isTyped(view.field)) return drawField(view);
    const keptNote = html`<p class="hint">${this.getText("secret.kept")} ${this.getText("secret.never_paste")}</p>`;
    const isFirst = allFields(this.form).find(isTyped)?.id === view.field.id;
    return html`${isFirst && usernameField}${drawHidden(view)}${keptNote}`;
  }

  override change(field: Field, patch: Partial<Entry>): void {
    this.#makeBody = undefined;
    super.change(field, patch);
  }

  isTyped(field: Field): boolean {
    return isTyped(field) && this.#inputs.read(uidOf(this.form, field)) !== "";
  }

  clear(field: Field): void {
    if (isTyped(field)) this.#inputs.clear(`#${uidOf(this.form, field)}`);
  }

  protected override check(): void {
    const { draft } = this;
    this.draft = this.#enteredDraft();
    try {
      super.check();
    } finally {
      this.draft = draft;
    }
  }

  protected override send({ values, ...rest }: FormAnswer): void {
    const entries = allFields(this.form).map(({ id, sensitive }): [string, Values[string] | undefined] => [
      id,
      sensitive && Object.hasOwn(values, id) ? SET : values[id],
    ]);
    this.#makeBody ??= () => ({
      ...rest,
      revision: this.view.request?.revision,
      values: collectValues(this.open, this.#enteredDraft(), this.host.locale),
    });
    const definedValues = Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Values;
    this.host.send("answer", { ...rest, values: definedValues }, this.#makeBody);
  }

  override drawSettled(settled: SettledRequest): Template | undefined {
    return super.drawSettled(settled.showing(this.#maskRequest(settled.request)));
  }

  /** The request as its receipt shows it: of what is kept secret only that it is set. */
  #maskRequest(request: InputRequest): InputRequest {
    const { form, answer } = request;
    if (!form || !answer?.values) return request;
    const sensitiveIds = new Set(allFields(form).flatMap(({ id, sensitive }) => (sensitive ? [id] : [])));
    const values = Object.entries(answer.values).map(([id, value]) => [
      id,
      sensitiveIds.has(id) ? this.getText("secret.set") : value,
    ]);
    const withoutValues = (fields: Field[] = []): Field[] =>
      fields.map((field) => (sensitiveIds.has(field.id) ? textField(field) : field));
    const maskedForm: Form = form.sections
      ? { ...form, sections: form.sections.map((part) => ({ ...part, fields: withoutValues(part.fields) })) }
      : { ...form, fields: withoutValues(form.fields ?? []) };
    return { ...request, form: maskedForm, answer: { ...answer, values: Object.fromEntries(values) } };
  }
}

const textField = ({ id, label }: Field): TextField => ({ id, label, type: "text" });
