/** What a row of the inbox says: in plain words what will happen, then who asks, where and why. */

import { allFields } from "../../../core/form.ts";
import type { InputRequest } from "../../../core/generated/wire.ts";
import type { Locale } from "../../../core/messages.ts";
import { ownValue } from "../../../core/path.ts";
import { localizeRequest } from "../../../elements/localtexts.ts";
import "../../../elements/headline.ts";
import { questionOf } from "../../../elements/labels.ts";
import { textOf } from "../../../elements/markdown/text.ts";
import type { GetText } from "../../../elements/text.ts";

/** Who reads: their language, and the texts of the interface in it. */
export interface Reader {
  readonly getText: GetText;
  readonly locale: Locale;
}

/** The groups of the kinds: each has a filter, and its own way to be declined. */
export type KindGroup = "approval" | "question" | "secret" | "action";

/** Return what kind of answer a request wants; requests of packages are questions. */
export const kindGroupOf = ({ kind }: InputRequest): KindGroup =>
  kind === "approval" || kind === "secret" || kind === "action" ? kind : "question";

/** Whether an approval is dangerous, as the server or the agent says. */
export const isDangerous = ({ approval }: InputRequest): boolean =>
  approval?.risk?.level === "danger" || approval?.agent_risk?.level === "danger";

/** How much of a text one line can need. */
const MAX_LINE_LENGTH = 320;

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim().slice(0, MAX_LINE_LENGTH);

/** Return the text of the reason without its Markdown. */
function withoutMarkdown(view: InputRequest["view"], kind: string, reason: string): string {
  const tree = ownValue(view?.markdown, `${kind}.reason`);
  return tree ? textOf(tree) : reason;
}

/** Return what will happen when the request is allowed or answered; for a call the server says it. */
export function titleOf(request: InputRequest, { getText, locale }: Reader): string {
  const { secret, view } = localizeRequest(request);
  if (!secret) return oneLine(questionOf(request, locale));
  const count = secret.count ?? secret.names.length;
  const title = getText("inbox.secrets", { count });
  return oneLine(secret.reason ? `${title}: ${withoutMarkdown(view, "secret", secret.reason)}` : title);
}

/** Return who asks. */
export const agentOf = ({ agent, requester }: InputRequest): string => agent?.name ?? requester?.name ?? "?";

/** Return why, as short as it can be said: that it is dangerous, whose answer it waits for, how much is asked. */
export function detailOf(request: InputRequest, { getText }: Reader): string {
  const { approval, secret, form, view } = localizeRequest(request);
  if (isDangerous(request)) return getText("inbox.danger");
  if (approval?.quorum && approval.quorum > 1)
    return getText("inbox.quorum", {
      count: (request.votes ?? []).filter(({ decision }) => decision === "approve").length,
      all: approval.quorum,
    });
  if (approval)
    return oneLine(
      approval.title || withoutMarkdown(view, "approval", approval.reason ?? "") || approval.tool,
    );
  if (secret) return secret.hide_names ? "" : secret.names.join(", ");
  const count = request.questions ?? (form ? allFields(form).length : 0);
  return count > 1 ? getText("inbox.questions", { count }) : "";
}
