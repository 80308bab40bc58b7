import { allFields } from "../../core/form.ts";
import type { Form } from "../../core/generated/wire.ts";
import type { Draft } from "../entries.ts";

/** The chosen options that want a second thought. */
export function dangerousChoices(form: Form, draft: Draft): string[] {
  return allFields(form).flatMap((field) =>
    ("options" in field ? field.options : [])
      .filter((option) => option.style === "danger" && draft.get(field.id)?.chosen.includes(option.value))
      .map((option) => option.label),
  );
}
