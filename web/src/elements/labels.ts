import { allFields, type ChoiceField, nameOf } from "../core/form.ts";
import type { Field, InputRequest, Option } from "../core/generated/wire.ts";
import type { Locale } from "../core/messages.ts";
import { localizeRequest } from "./localtexts.ts";
import { onDemand } from "./ondemand.ts";
import type { GetText } from "./text.ts";

/** The one line that stands for the whole question. */
export function questionOf(request: InputRequest, locale?: Locale): string {
  const { form, approval, secret, action, summary, kind } = localizeRequest(request);
  const preview = approval?.preview;
  if (form) return form.title || nameOf(form, allFields(form)[0] as Field);
  return (
    (preview && (onDemand.headlineOf?.(preview, locale) ?? preview.headline)) ||
    approval?.tool ||
    secret?.names.join(", ") ||
    action?.title ||
    summary ||
    kind
  );
}

/** The announcement that a request has ended. */
export const endAnnouncement = (
  request: InputRequest,
  status: string,
  { getText, locale }: { readonly getText: GetText; readonly locale: Locale },
): string =>
  getText(status === "answered" ? "done_answered" : "done_ended", { title: questionOf(request, locale) });

/** An option's label; Yes and No of a confirmation, which askback writes itself, in the reader's language. */
export function labelOf(field: ChoiceField, { value, label }: Partial<Option>, getText: GetText): string {
  const isOwnLabel = field.widget === "confirm" && value === label && (label === "Yes" || label === "No");
  return isOwnLabel ? getText(label.toLowerCase()) : (label ?? "");
}
