/**
 * The check of a form as the server makes it: same paths, codes and texts.
 *
 * Two stages: structure, by the schema; then meaning, on every part whose structure is right, so
 * that one fault hides no other. Patterns are RE2's affair: the caller says whether they compile.
 */

import { fault } from "./fault.ts";
import { fieldFaults, isSound, presetFaults, textsOf } from "./fieldrules.ts";
import DEFAULTS from "./generated/limits.json" with { type: "json" };
import { isWithin, join, own } from "./path.ts";
import { formStructure, isObject, type Obj, sound } from "./schema.ts";
import { type TextRule, textFault, textFaults } from "./textrules.ts";
import type { Fault, Field } from "./wire.ts";

export type Limits = typeof DEFAULTS;

export interface FormRules {
  limits: Limits;
  /** RE2's reason for not compiling a pattern, or null where it does. */
  compiles: (pattern: string) => string | null;
  /** Whether a default fits a pattern; without it every one does. */
  matches?: (pattern: string, value: string) => boolean;
}

/** More than this many faults teach nobody anything. */
export const MOST_FAULTS = 200;
const LOCALE =
  /^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?(-([A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))?$/;
const PLACEHOLDER = /\{([^{}]+)\}/g;

/** Every fault of a form as an agent wrote it; none means that the server would take it. */
export function checkForm(raw: unknown, rules: Partial<FormRules> = {}, path = "form"): Fault[] {
  return formMeaning(raw, path, formStructure(raw, path), complete(rules)).slice(0, MOST_FAULTS);
}

/** The rules with their defaults. */
export function complete(rules: Partial<FormRules>): FormRules {
  return { limits: DEFAULTS, compiles: () => null, ...rules };
}

/** The faults of structure that were found, and those of meaning. */
export function formMeaning(raw: unknown, path: string, structure: Fault[], rules: FormRules): Fault[] {
  if (!isObject(raw)) return structure;
  return new FormCheck(raw, path, structure, rules).run();
}

interface Place {
  field: unknown;
  path: string;
}

class FormCheck {
  private readonly found: Fault[];
  private readonly fields: Place[];
  private readonly known = new Map<string, { field: Field; sound: boolean } | null>();

  constructor(
    private readonly form: Obj,
    private readonly path: string,
    private readonly structure: Fault[],
    private readonly rules: FormRules,
  ) {
    this.found = [...structure];
    this.fields = placesOf(form, path);
  }

  run(): Fault[] {
    const { limits } = this.rules;
    this.texts(this.form, this.path, {
      title: { max: limits.title, filled: true },
      description: { max: limits.description, lines: true },
      submit_label: { max: limits.button_label, filled: true },
      cancel_label: { max: limits.button_label, filled: true },
    });
    this.lists();
    this.sections();
    this.unique(this.fields.map(({ field, path }) => ({ owner: field, path })));
    for (const place of this.fields) this.field(place);
    this.initialValues();
    this.completedView();
    this.locale();
    return this.found;
  }

  private texts(owner: Obj, path: string, rules: Record<string, TextRule>): void {
    this.found.push(...textFaults(path, sound(owner, path, this.structure), rules));
  }

  private add(path: string, key: string, params?: Record<string, unknown>): void {
    this.found.push(fault(path, key, params));
  }

  private lists(): void {
    const { fields, sections } = this.form;
    if (fields != null && sections != null) this.add(this.path, "fields_and_sections");
    if (fields == null && sections == null) this.add(this.path, "no_fields");
    for (const [key, list] of Object.entries({ fields, sections })) {
      if (Array.isArray(list) && list.length === 0) this.add(join(this.path, key), "no_fields");
    }
    const max = this.rules.limits.fields;
    const at = join(this.path, sections == null ? "fields" : "sections");
    if (this.fields.length > max) this.add(at, "too_many", { max });
  }

  private sections(): void {
    const { limits } = this.rules;
    const at = join(this.path, "sections");
    const sections = Array.isArray(this.form.sections) ? (this.form.sections as unknown[]) : [];
    if (sections.length > limits.sections) this.add(at, "too_many", { max: limits.sections });
    this.unique(sections.map((owner, index) => ({ owner, path: join(at, index) })));
    for (const [index, section] of sections.entries()) {
      if (!isObject(section)) continue;
      const path = join(at, index);
      this.texts(section, path, {
        id: { max: limits.field_id, filled: true },
        title: { max: limits.title, filled: true },
        description: { max: limits.description, lines: true },
        submit_label: { max: limits.button_label, filled: true },
      });
      if (Array.isArray(section.fields) && section.fields.length === 0)
        this.add(join(path, "fields"), "no_fields");
    }
  }

  private unique(items: { owner: unknown; path: string }[]): void {
    const seen = new Set<string>();
    for (const { owner, path } of items) {
      const id = isObject(owner) ? own(owner, "id") : undefined;
      if (typeof id !== "string") continue;
      if (seen.has(id)) this.add(join(path, "id"), "duplicate_id");
      seen.add(id);
    }
  }

  private field({ field, path }: Place): void {
    const id = isObject(field) ? own(field, "id") : undefined;
    const first = typeof id === "string" && !this.known.has(id);
    if (first) this.known.set(id, null);
    if (this.structure.some((found) => isWithin(found.path, path))) return;
    const valid = field as Field;
    const faults = fieldFaults(valid, path, this.rules);
    const isFit = isSound(faults, path);
    this.found.push(...faults);
    if (first) this.known.set(id, { field: valid, sound: isFit });
    this.preset(valid, valid.default, join(path, "default"), isFit ? "invalid_default" : null);
  }

  /** Without a `key` only the texts are looked at: what the field would take is not known. */
  private preset(field: Field, value: unknown, path: string, key: string | null): void {
    if (field.sensitive === true && value != null) {
      this.add(path, "default_of_sensitive");
      return;
    }
    if (key !== null) {
      this.found.push(...presetFaults(field, value, path, key, this.rules));
      return;
    }
    const lines = field.type === "textarea";
    this.found.push(...textsOf(value, path).flatMap(([at, text]) => textFault(at, text, { lines })));
  }

  private initialValues(): void {
    const at = join(this.path, "initial_values");
    const values = this.form.initial_values;
    if (!isObject(values)) return;
    for (const [id, value] of Object.entries(values)) {
      const path = join(at, id);
      const known = this.known.get(id);
      if (known === undefined) this.add(path, "unknown_field");
      else if (known) this.preset(known.field, value, path, known.sound ? "invalid_initial_value" : null);
    }
  }

  private completedView(): void {
    const view = this.form.completed_view;
    const at = join(this.path, "completed_view");
    if (!isObject(view)) return;
    const { summary_template: template } = sound(view, at, this.structure);
    if (typeof template !== "string") return;
    const path = join(at, "summary_template");
    const faults = textFault(path, template, { max: this.rules.limits.summary_template, lines: true });
    const names = [...template.matchAll(PLACEHOLDER)].map(([, name = ""]) => name);
    if (faults.length) this.found.push(...faults);
    else if (names.some((name) => !this.known.has(name))) this.add(path, "unknown_placeholder");
  }

  private locale(): void {
    const locale = sound(this.form, this.path, this.structure).locale;
    if (typeof locale === "string" && !LOCALE.test(locale))
      this.add(join(this.path, "locale"), "invalid_locale");
  }
}

/** Every field with its path, those of sections included. */
function placesOf(form: Obj, path: string): Place[] {
  const list = (owner: Obj, at: string): Place[] =>
    Array.isArray(owner.fields)
      ? owner.fields.map((field: unknown, index) => ({ field, path: join(join(at, "fields"), index) }))
      : [];
  const sections = Array.isArray(form.sections) ? (form.sections as unknown[]) : [];
  const at = join(path, "sections");
  return [
    ...list(form, path),
    ...sections.flatMap((section, i) => (isObject(section) ? list(section, join(at, i)) : [])),
  ];
}
