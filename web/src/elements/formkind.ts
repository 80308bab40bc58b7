import { allFields, nameOf, type Values } from "../core/form.ts";
import type { Field, Form, InputRequest } from "../core/generated/wire.ts";
import { isTerminal } from "../core/lifecycle.ts";
import { isOpen, type View } from "../core/machine.ts";
import { isWithin, valuePath } from "../core/path.ts";
import { findErrors } from "./check.ts";
import { collectValues, type Draft, type Entry, startDraft } from "./entries.ts";
import type { FormAnswer } from "./events.ts";
import { drawField } from "./field.ts";
import { loadRules } from "./fieldrules.ts";
import type { FieldView } from "./fieldview.ts";
import { drawActions, drawFields, drawForm, drawLead, type FormHost, type Revision, uidOf } from "./form.ts";
import type { Template } from "./html.ts";
import type { Card, ErrorTarget, Host, Kind } from "./kind.ts";
import { draftStore } from "./loaddrafts.ts";
import { onDemand } from "./ondemand.ts";
import type { SettledRequest } from "./receipt/settled.ts";
import { loadSecretWarning } from "./secretwarning.ts";
import type { GetText } from "./text.ts";

const pathOf = (field: Field): string => valuePath(field.id);

/** A form: what was entered, and how it becomes an answer. */
export class FormKind implements Kind, FormHost {
  draft: Draft = new Map();
  /** Whether something was typed before the page was loaded. */
  restored = false;
  revision: Revision | undefined;
  form: Form = {};
  /** The initial values of the form. */
  start: Draft = new Map();
  /** The number of the revision of the form. */
  revisionNumber = 0;
  #confirmed = false;
  /** The values that may need a second yes. */
  #unconfirmedValues: Values | undefined;
  /** The check of values that were submitted before the rules of the fields were loaded. */
  #pendingCheck: Promise<void> | undefined;

  constructor(readonly host: Host) {}

  get view(): View {
    return this.host.view;
  }

  get getText(): GetText {
    return this.host.getText;
  }

  get asking(): readonly string[] {
    const values = this.#unconfirmedValues;
    return (values && onDemand.questionsBefore?.(this, this.form, values)) ?? [];
  }

  get headingLevel(): number | string {
    return this.host.headingLevel;
  }

  /** Make a draft for the form as it is now, from what was entered so far, here or before a reload. */
  adopt(request: InputRequest): void {
    const first = this.start.size === 0 && !isTerminal(request.status);
    const { locale } = this.host;
    const before = this.form;
    this.form = request.form ?? {};
    const { revision } = request;
    // Another language changes the words of a form, not its revision.
    if (revision !== this.revisionNumber) {
      this.#unconfirmedValues = undefined;
      onDemand.revise?.(this, before, request);
    }
    this.revisionNumber = revision;
    this.start = startDraft(this.form, locale, undefined, request.submitted?.values);
    const kept = first ? draftStore?.readDraft(request) : undefined;
    this.restored ||= kept !== undefined;
    this.draft = startDraft(this.form, locale, kept ?? this.draft, request.submitted?.values);
  }

  drawOpen(request: InputRequest, card: Card): Template {
    const form = this.form;
    return card([drawLead(this, request, form), drawForm(this, request, form)], form.locale);
  }

  get open(): Form {
    return this.form;
  }

  drawField(view: FieldView): Template | false {
    return drawField(view);
  }

  drawActions(form: Form): Template {
    return drawActions(this, form);
  }

  drawBody(request: InputRequest): unknown {
    return drawFields(this, request, this.form, this.form.fields ?? [], "form");
  }

  drawSettled(settled: SettledRequest): Template | undefined {
    return onDemand.drawAnswered?.(settled);
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
    if (request) draftStore?.writeDraft(request, field, this.draft, this.start);
    if (patch.text) void loadSecretWarning();
  }

  /** One click answers immediately, except for a dangerous option, which needs a confirmation, and for "Other". */
  pick(field: Field, patch: Partial<Entry>): void {
    if (!isOpen(this.view)) return;
    this.change(field, patch);
    if (patch.chosen?.length) this.proceed(collectValues(this.open, this.draft, this.host.locale));
    else this.host.focusOn("#f0-text");
  }

  confirm(yes: boolean): void {
    this.#unconfirmedValues = undefined;
    this.#confirmed = yes;
    if (yes) this.submit();
    else this.host.focusOn(".choice, [type=submit]");
  }

  /** Check what was entered and send it, once the rules of the fields are there or do not come. */
  submit(): void {
    const loading = loadRules();
    if (loading) this.#pendingCheck ??= this.#checkAfterLoading(loading);
    else this.check();
  }

  async #checkAfterLoading(rules: Promise<unknown>): Promise<void> {
    const { request } = this.view;
    await rules;
    this.#pendingCheck = undefined;
    if (isOpen(this.view) && this.view.request?.id === request?.id) this.check();
  }

  protected check(): void {
    const { host } = this;
    const form = this.open;
    const values = collectValues(form, this.draft, host.locale);
    const validityOf = (field: Field) => this.#control(field)?.validity;
    const patterns = this.view.request?.view?.patterns;
    const errors = findErrors({ form, values, draft: this.draft, patterns, validityOf }, host);
    if (errors.length > 0) host.refuse(errors);
    else this.proceed(values);
  }

  decline(reason: "skipped" | "dismissed"): void {
    this.host.send("decline", { reason });
  }

  /** Send what has passed the check, but ask first about dangerous options, and about what looks like a secret. */
  protected proceed(values: Values): void {
    // What was clicked may be another button than the one that was read.
    if (this.revision?.isFresh) return;
    this.#unconfirmedValues = this.#confirmed ? undefined : values;
    this.#confirmed = false;
    if (this.asking.length > 0) {
      this.host.focusOn("#back");
      return;
    }
    this.#unconfirmedValues = undefined;
    this.send({ revision: this.view.request?.revision ?? 1, values });
  }

  afterDraw(): void {
    this.revision?.restore();
  }

  protected send(body: FormAnswer): void {
    this.revision?.sent();
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
        label: fields.length > 1 && nameOf(this.form, field),
        go: () => this.#goTo(field),
      }
    );
  }

  unsentText(request: InputRequest): string {
    return onDemand.unsentLine?.(this, request) ?? "";
  }

  #control(field: Field): HTMLInputElement | null {
    const uid = uidOf(this.form, field);
    const find = (selector: string) => this.host.root.querySelector<HTMLInputElement>(selector);
    return find(`#${uid}-text`) ?? find(`#${uid}-filter, #${uid}, #${uid}-0`);
  }

  /** Bring the label into view, then move the focus without a second scroll. */
  #goTo(field: Field): void {
    const control = this.#control(field);
    control?.closest(".field")?.scrollIntoView({ block: "nearest" });
    control?.focus({ preventScroll: true });
  }
}
