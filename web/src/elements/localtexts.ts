/** Texts in several languages, a field's own messages and rows: what the elements know of these parts. */

import type { InputRequest } from "../core/generated/wire.ts";

/** The functions of the parts; while none is loaded, a request has one language, no messages of its own and no rows. */
export const texts: Partial<typeof import("./texts/texts.ts") & typeof import("./choices/rows.ts")> = {};

/** Whether a request cannot be shown without the part. */
export const needsTexts = ({ view }: InputRequest): boolean => !!(view?.languages || view?.messages);

/** A request in the language of its reader, with plain fields in place of rows. */
export const localizeRequest = (request: InputRequest, element?: Element): InputRequest =>
  texts.flatten?.(request, element) ?? texts.localize?.(request, element) ?? request;

/** The body that the server accepts. */
export const foldRows = <T>(body: T): T => texts.nestAnswer?.(body) ?? body;
