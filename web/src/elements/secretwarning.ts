import type { AskbackElement } from "./element.ts";
import type { Template } from "./html.ts";
import { onDemand } from "./ondemand.ts";

/** An element that shows in `trouble` why a text was not sent. */
export interface WarningHost extends AskbackElement {
  trouble: (() => string | Template) | undefined;
}

/**
 * Load what asks about a text that looks like a secret, while the first text is typed or before it is sent.
 *
 * It never rejects: without the part nothing is asked.
 */
export const loadSecretWarning = (): Promise<unknown> => import("./shape/warning.ts").catch(() => {});

/** Send a text, or ask about it in `trouble`; if the part cannot be loaded, the text is sent. */
export async function sendOrWarn(host: WarningHost, text: string, send: () => void): Promise<void> {
  await loadSecretWarning();
  host.trouble = onDemand.askAboutText?.(host, text, send);
  if (host.trouble) host.focusOn("#leave");
  else send();
}
