import texts from "../../../../src/askback/messages/en.json?revised&texts" with { type: "json" };
import { allFields, nameOf } from "../../core/form.ts";
import type { Field, Form, InputRequest } from "../../core/generated/wire.ts";
import { isTerminal } from "../../core/lifecycle.ts";
import { addTexts } from "../../core/messages.ts";
import { isBlank } from "../../core/text.ts";
import type { RemovedText } from "../drafttypes.ts";
import { type Draft, EMPTY, type Entry } from "../entries.ts";
import { type FormHost, type Revision, uidOf } from "../form.ts";
import type { FormKind } from "../formkind.ts";
import { html, type Template } from "../html.ts";
import { icons } from "../icons.ts";
import type { Kind } from "../kind.ts";
import { draftStore } from "../loaddrafts.ts";
import { meaningsOf, optionOf, withSameMeaning } from "../meaning.ts";
import { onDemand } from "../ondemand.ts";

addTexts(texts);

/** The control with the focus, and its selection. */
interface Caret {
  /** The id of its field, empty for a button. */
  readonly id: string;
  /** The part of the control's id that does not depend on the place of its field. */
  readonly suffix: string;
  readonly selection: readonly [number | null, number | null] | undefined;
}

/** How long clicks are ignored after a revision is drawn. */
const FRESH_MS = 500;
const DOTS = "••••••";

/** What a control shows: text that was typed for one of them has no place in another. */
const shapeOf = (field: Field): string =>
  "options" in field ? "options" : field.type === "textarea" ? "text" : field.type;

/**
 * A change of the form while a person fills it in.
 *
 * Controls are drawn by their position in the form, and a sensitive value is stored only in its input. So the focus and
 * the sensitive values are read before the changed form is drawn, and put back into their fields afterwards.
 */
class FormRevision implements Revision {
  #isNewRevision = true;
  readonly removed: RemovedText[];
  /** By field, the choices that are lost because they would say something else now. */
  readonly changed: ReadonlyMap<string, RemovedText>;
  /** Those of this revision. */
  readonly lostFields: Field[] = [];
  isFresh = true;
  /** What is entered, without the text that is in `removed` and the choices that are in `changed`. */
  readonly draft: Map<string, Entry>;
  #caret: Caret | undefined;
  #secrets: ReadonlyMap<string, string> | undefined;

  constructor(
    private readonly root: ShadowRoot,
    previousForm: Form,
    private readonly form: Form,
    draft: Draft,
    previous: FormRevision | undefined,
    storedRemoved: readonly RemovedText[],
    redraw: () => void,
  ) {
    // As the guard of approvals, which would be a file of its own if it were shared: half a second from the first frame.
    requestAnimationFrame(() =>
      setTimeout(() => {
        this.isFresh = false;
        redraw();
      }, FRESH_MS),
    );
    const previousFields = allFields(previousForm).map((field) => ({
      field,
      uid: uidOf(previousForm, field),
    }));
    const currentFields = new Map(allFields(form).map((field) => [field.id, field]));
    const secrets = previousFields.map(({ field, uid }) => ({ field, secret: this.#secretOf(uid) }));
    this.removed = [...(previous?.removed ?? storedRemoved)];
    this.draft = new Map(draft);
    const changed = new Map(previous?.changed);
    for (const { field, secret } of secrets) {
      const entry = draft.get(field.id) ?? EMPTY;
      const text = secret === undefined ? entry.text : secret && DOTS;
      const currentField = currentFields.get(field.id);
      const isUnchanged =
        currentField &&
        shapeOf(currentField) === shapeOf(field) &&
        !currentField.sensitive === !field.sensitive;
      if (currentField && !field.readonly) {
        const kept = withSameMeaning(form, currentField, entry, meaningsOf(previousForm, field, entry));
        const lost = entry.chosen.filter((value) => !kept.chosen.includes(value));
        if (lost.length > 0 || kept.on !== entry.on) {
          const labels = lost.map((value) => optionOf(field, value)?.label);
          changed.set(field.id, { label: nameOf(previousForm, field), text: labels.join(", ") });
          this.draft.set(field.id, kept);
          this.lostFields.push(currentField);
        }
      }
      if (isUnchanged || isBlank(text)) continue;
      this.removed.push({ label: nameOf(previousForm, field), text });
      this.draft.delete(field.id);
    }
    this.changed = changed;
    this.#secrets = new Map(secrets.map(({ field, secret = "" }) => [field.id, secret]));
    this.#caret = this.#readCaret(previousFields);
  }

  #secretOf(uid: string): string | undefined {
    return this.root.querySelector<HTMLInputElement>(`#${uid}.secret`)?.value;
  }

  #readCaret(previousFields: readonly { field: Field; uid: string }[]): Caret | undefined {
    const control = this.root.activeElement as HTMLInputElement | null;
    if (!control) return undefined;
    const [, uid, suffix = ""] = /^(f\d+)(.*)$/.exec(control.id) ?? [];
    const id = previousFields.find((item) => item.uid === uid)?.field.id ?? "";
    const { selectionStart, selectionEnd } = control;
    return { id, suffix, selection: selectionStart === null ? undefined : [selectionStart, selectionEnd] };
  }

  sent(): void {
    this.#isNewRevision = false;
  }

  withRemoved(text: string): string {
    return [text, ...this.removed.map((item) => item.text)].filter(Boolean).join(" · ");
  }

  restore(): void {
    const fields = new Map(allFields(this.form).map((field) => [field.id, uidOf(this.form, field)]));
    if (this.#secrets)
      for (const [id, uid] of fields) {
        const input = this.root.querySelector<HTMLInputElement>(`#${uid}.secret`);
        if (input) input.value = this.#secrets.get(id) ?? "";
      }
    const caret = this.#caret;
    this.#secrets = undefined;
    this.#caret = undefined;
    if (!caret) return;
    const uid = fields.get(caret.id);
    const control = uid && this.root.querySelector<HTMLInputElement>(`#${uid}${caret.suffix}`);
    if (!control) {
      // A button that is still there keeps the focus.
      if (caret.id || !this.root.activeElement) this.root.querySelector<HTMLElement>("#revised")?.focus();
    } else if (control !== this.root.activeElement) {
      control.focus({ preventScroll: true });
      if (caret.selection) control.setSelectionRange(...caret.selection);
    }
  }

  draw({ view, getText }: FormHost): Template {
    const isAnnounced =
      this.#isNewRevision && !view.errors.some(({ message }) => message === getText("changed"));
    // The words come a moment later than their place: so each revision is announced, not only the first.
    const words = this.isFresh ? "\u00a0" : getText("changed");
    return html`<div id="revised" tabindex="-1">
      ${isAnnounced && html`<p class="hint" role="status">${icons.warn} ${words}</p>`}
      ${drawTexts(getText("revised.changed"), [...this.changed.values()])}
      ${drawTexts(getText("revised.left"), this.removed)}
    </div>`;
  }
}

const drawTexts = (lead: string, texts: readonly RemovedText[]): Template | false =>
  texts.length > 0 &&
  html`<div role="status">
    <p class="hint">${lead}</p>
    ${texts.map(({ label, text }) => html`<p class="hint"><strong>${label}</strong> <bdi>${text}</bdi></p>`)}
  </div>`;

/** A form as text, whatever the order of its members. */
const canonicalJson = (form: Form): string =>
  JSON.stringify(form, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort())
      : value,
  );

/** The form has changed from what it was before, on this page or since a draft was stored on this device. */
export function revise(kind: FormKind, previousForm: Form, request: InputRequest): void {
  const { form, host, draft, revision, revisionNumber } = kind;
  const removed =
    revisionNumber || isTerminal(request.status) ? [] : (draftStore?.readRemoved(request) ?? []);
  if (removed.length === 0 && (!revisionNumber || canonicalJson(previousForm) === canonicalJson(form)))
    return;
  const nextRevision = new FormRevision(
    host.root,
    previousForm,
    form,
    draft,
    revision as FormRevision | undefined,
    removed,
    () => host.redraw(),
  );
  kind.revision = nextRevision;
  kind.draft = nextRevision.draft;
  for (const field of nextRevision.lostFields)
    draftStore?.writeDraft(request, field, nextRevision.draft, kind.start);
}

/** The form of a kind, which another kind may wrap. */
const formOf = (kind: Kind): FormKind | undefined =>
  kind.inner ? formOf(kind.inner) : "draft" in kind ? (kind as FormKind) : undefined;

/**
 * Return the function that lets another kind of the same request, whose form needs other parts now, go on with what is
 * entered in this one. It is called before the other is made, which empties the inputs.
 */
export function inherit(previousKind: Kind): (next: Kind) => void {
  const previousForm = formOf(previousKind);
  const inputs = [...(previousForm?.host.root.querySelectorAll<HTMLInputElement>(".secret") ?? [])];
  const values = inputs.map(({ value }) => value);
  return (next) => {
    for (const [index, input] of inputs.entries()) input.value = values[index] ?? "";
    const { draft, restored, revision, form, start, revisionNumber } = previousForm ?? {};
    Object.assign(formOf(next) ?? {}, { draft, restored, revision, form, start, revisionNumber });
  };
}

Object.assign(onDemand, { inherit, revise });
