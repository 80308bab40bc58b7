import { hiddenFieldIds } from "../../core/conditions.ts";
import { allFields, isBox } from "../../core/form.ts";
import type { Field, Form } from "../../core/generated/wire.ts";
import { isWithin, valuePath } from "../../core/path.ts";
import { type Draft, EMPTY, jsonOf } from "../entries.ts";

/** The questions that the person skips. */
export const skippedIdsOf = (form: Form, draft: Draft): ReadonlySet<string> =>
  new Set(allFields(form).flatMap(({ id }) => (draft.get(id)?.skipped ? [id] : [])));

/** The fields that `visible_if` hides for what is entered now. */
export function hiddenIdsOf(form: Form, draft: Draft, locale: string): ReadonlySet<string> {
  const pairs = allFields(form).map((field) => [
    field.id,
    jsonOf(field, draft.get(field.id) ?? EMPTY, locale),
  ]);
  return hiddenFieldIds(form, Object.fromEntries(pairs), skippedIdsOf(form, draft));
}

/** The form with the fields that the person answers: neither hidden nor read-only nor skipped. */
export function openForm(form: Form, draft: Draft, locale: string): Form {
  const hiddenIds = hiddenIdsOf(form, draft, locale);
  const isOpen = ({ id, readonly }: Field): boolean =>
    !readonly && !hiddenIds.has(id) && !draft.get(id)?.skipped;
  const fields = form.fields?.filter(isOpen) ?? null;
  const sections =
    form.sections?.map((section) => ({ ...section, fields: section.fields.filter(isOpen) })) ?? null;
  return { ...form, fields, sections };
}

/** The form with the one field that answers it, which then needs a value. */
export const onlyField = (form: Form, id: string): Form => ({
  ...form,
  sections: null,
  fields: allFields(form)
    .filter((field) => field.id === id)
    .map((field) => (isBox(field) ? field : { ...field, required: true })),
});

/** The place of the section to which the path of an error leads. */
export function stepOf(form: Form, path: string): number | undefined {
  const index = form.sections?.findIndex(({ fields }) =>
    fields.some(({ id }) => isWithin(path, valuePath(id))),
  );
  return index === -1 ? undefined : index;
}
