import { allFields, type Field, type Form, type Section } from "../core/form.ts";
import type { Values } from "../core/json.ts";
import { isTerminal } from "../core/lifecycle.ts";
import { isOpen, type View } from "../core/machine.ts";
import { isWithin, join } from "../core/path.ts";
import type { InputRequest } from "../core/wire.ts";
import { check } from "./check.ts";
import { collect, type Draft, dangerous, EMPTY, type Entry, provided, start } from "./draft.ts";
import { draftStore } from "./draftstore.ts";
import type { Settled } from "./ended.ts";
import type { FormAnswer } from "./events.ts";
import { drawField } from "./field.ts";
import type { FieldView, Filter } from "./fieldview.ts";
import { drawForm, drawLead, type FormHost, uidOf } from "./form.ts";
import type { Template } from "./html.ts";
import type { Card, ErrorTarget, Host, Kind } from "./kind.ts";
import { drawReceipt } from "./receipt.ts";
import { loadSecretWarning, secretWarning } from "./secretwarning.ts";
import { answerLine } from "./show.ts";
import type { Say } from "./text.ts";

const pathOf = (field: Field): string => join("values", field.id);

/** A form: what was entered, and how it becomes an answer. */
export class FormKind implements Kind, FormHost {
  draft: Draft = new Map();
  asking: readonly string[] = [];
  filters: ReadonlyMap<string, Filter> = new Map();
  /** Whether something was typed before the page was loaded. */
  restored = false;
  protected form: Form = {};
  /** What the form starts with. */
  #start: Draft = new Map();
  #confirmed = false;

  constructor(protected readonly host: Host) {}

  get view(): View {
    return this.host.view;
  }

  get say(): Say {
    return this.host.say;
  }

  get headingLevel(): number | string {
    return this.host.headingLevel;
  }

  /** Make a draft for the form as it is now, from what was entered so far, here or before a reload. */
  adopt(request: InputRequest): void {
    const first = this.#start.size === 0 && !isTerminal(request.status);
    const { locale } = this.host;
    this.form = request.form ?? {};
    this.#start = start(this.form, locale, undefined, request.submitted?.values);
    const kept = first ? draftStore?.readDraft(request) : undefined;
    this.restored ||= kept !== undefined;
    this.draft = start(this.form, locale, kept ?? this.draft, request.submitted?.values);
  }

  /** Erase what is kept on this device and keep nothing from now on; what is typed here stays as long as the page. */
  forgetDevice(): void {
    draftStore?.stop();
    this.host.redraw();
  }

  drawOpen(request: InputRequest, card: Card): Template {
    const form = this.form;
    return card([drawLead(this, request, form), drawForm(this, request, form)], form.locale);
  }

  drawField(view: FieldView): Template {
    return drawField(view);
  }

  drawSettled(settled: Settled): Template | undefined {
    return drawReceipt(settled);
  }

  errorOf(field: Field): string | undefined {
    return this.host.errorAt(pathOf(field));
  }

  change(field: Field, patch: Partial<Entry>): void {
    const entry = this.draft.get(field.id);
    if (!entry) return;
    this.draft = new Map(this.draft).set(field.id, { ...entry, ...patch });
    this.host.clearError(pathOf(field));
    const { request } = this.view;
    if (request) draftStore?.writeDraft(request, this.draft, this.#start);
    if (patch.text) void loadSecretWarning();
  }

  search(field: Field, text: string): void {
    const kept = this.draft.get(field.id)?.chosen ?? [];
    this.filters = new Map(this.filters).set(field.id, { text, kept });
    this.host.redraw();
  }

  /** One click answers at once, but for a dangerous option, which is asked about first, and for "Other". */
  pick(field: Field, patch: Partial<Entry>): void {
    if (!isOpen(this.view)) return;
    this.change(field, patch);
    if (patch.chosen?.length) this.#proceed(collect(this.form, this.draft, this.host.locale));
    else this.host.focusOn("#f0-text");
  }

  confirm(yes: boolean): void {
    this.asking = [];
    this.#confirmed = yes;
    if (yes) this.submit();
    else this.host.focusOn(".choice, [type=submit]");
  }

  isBegun({ fields }: Section): boolean {
    return fields.some((field) => provided(field, this.draft.get(field.id)));
  }

  skip({ fields }: Section): void {
    for (const field of fields) this.change(field, EMPTY);
  }

  submit(): void {
    const { locale } = this.host;
    const form = this.form;
    const values = collect(form, this.draft, locale);
    const validityOf = (field: Field) => this.#control(field)?.validity;
    const patterns = this.view.request?.view?.patterns;
    const errors = check({ form, values, draft: this.draft, patterns, validityOf }, locale);
    if (errors.length > 0) this.host.refuse(errors);
    else this.#proceed(values);
  }

  decline(reason: "skipped" | "dismissed"): void {
    this.host.send("decline", { reason });
  }

  /** Send what has passed the check, but ask first about dangerous options, and about what looks like a secret. */
  #proceed(values: Values): void {
    const { say } = this;
    const sure = dangerous(this.form, this.draft).map((label) => say("sure", { label }));
    const questions = this.#confirmed
      ? []
      : [...sure, ...(secretWarning.form?.(this.form, values, say) ?? [])];
    this.#confirmed = false;
    this.asking = questions;
    if (questions.length > 0) this.host.focusOn("#back");
    else this.send({ revision: this.view.request?.revision ?? 1, values });
  }

  protected send(body: FormAnswer): void {
    this.host.send("answer", body);
  }

  escape(target: HTMLElement): void {
    if (this.asking.length > 0) this.confirm(false);
    else if (this.form.allow_skip && !target.matches("select, [type=search]")) this.decline("skipped");
  }

  errorTarget(path: string): ErrorTarget | undefined {
    const fields = allFields(this.form);
    const field = fields.find((item) => isWithin(path, pathOf(item)));
    return (
      field && {
        path: pathOf(field),
        label: fields.length > 1 && field.label,
        go: () => this.#goTo(field),
      }
    );
  }

  unsentText({ answer }: InputRequest): string {
    const { locale, say } = this.host;
    const form = this.form;
    const line = (values: Values) =>
      answerLine({ ...form, completed_view: null }, { values }, locale, say).trim();
    const entered = line(collect(form, this.draft, locale));
    const known = [line(collect(form, start(form, locale), locale)), line(answer?.values ?? {})];
    return known.includes(entered) ? "" : entered;
  }

  #control(field: Field): HTMLInputElement | null {
    const uid = uidOf(this.form, field);
    const find = (selector: string) => this.host.root.querySelector<HTMLInputElement>(selector);
    return find(`#${uid}-text`) ?? find(`#${uid}, #${uid}-0`);
  }

  /** Bring the label into view, then move the focus without a second scroll. */
  #goTo(field: Field): void {
    const control = this.#control(field);
    control?.closest(".field")?.scrollIntoView({ block: "nearest" });
    control?.focus({ preventScroll: true });
  }
}
