import type { Values } from "../core/form.ts";
import type { Form } from "../core/generated/wire.ts";
import type { AskbackElement } from "./element.ts";
import type { Template } from "./html.ts";
import type { GetText } from "./text.ts";

/** An element that shows in `trouble` why a text was not sent. */
export interface WarningHost extends AskbackElement {
  trouble: (() => string | Template) | undefined;
}

/** Asks before a text that looks like a secret is sent; while it is not loaded, nothing is asked. */
interface SecretWarning {
  /** Return one question for each field of a form that is not sensitive and looks like a secret. */
  form(form: Form, values: Values, getText: GetText): string[];
  /** Return a question about a text from a box of `host`; `send` sends it anyway. */
  text(host: AskbackElement, text: string, send: () => void): (() => Template) | undefined;
}

/** The functions of the part, which is loaded while the first text is typed, or before it is sent. */
export const secretWarning: Partial<SecretWarning> = {};

let loading: Promise<unknown> | undefined;

/** Every caller gets the same promise, so that texts are sent in their order; without the part nothing is asked. */
export function loadSecretWarning(): Promise<unknown> {
  loading ??= import("./shape/warning.ts").then(
    (part) => Object.assign(secretWarning, part),
    () => {
      loading = undefined;
    },
  );
  return loading;
}

/** Send a text, or ask about it in `trouble`; if the part cannot be loaded, the text is sent. */
export async function sendOrWarn(host: WarningHost, text: string, send: () => void): Promise<void> {
  await loadSecretWarning();
  host.trouble = secretWarning.text?.(host, text, send);
  if (host.trouble) host.focusOn("#leave");
  else send();
}
