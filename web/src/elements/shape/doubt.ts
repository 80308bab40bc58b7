import texts from "../../../../src/askback/messages/en.json?shape" with { type: "json" };
import { addTexts } from "../../core/messages.ts";
import { own } from "../../core/path.ts";
import { findSecret } from "../../core/secretshapes.ts";
import { allFields, type Field, type Json } from "../../core/wire.ts";
import { doubts } from "../doubts.ts";

addTexts(texts);

/** What a person wrote for a field themselves, and not what an option says. */
const written = (field: Field, value: Json | undefined): string[] =>
  [value ?? []]
    .flat()
    .filter((item) => typeof item === "string")
    .filter((item) => !("options" in field && field.options.some((option) => option.value === item)));

/** One question for each field that is not kept secret and holds what looks like one; it never repeats the value. */
doubts.push((form, values, say) =>
  allFields(form)
    .filter(({ sensitive }) => !sensitive)
    .flatMap((field) => {
      const shape = written(field, own(values, field.id)).map(findSecret).find(Boolean);
      return shape ? [say("shape.sure", { label: field.label, kind: say(`shape.${shape.kind}`) })] : [];
    }),
);
