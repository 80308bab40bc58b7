import { allFields } from "../core/form.ts";
import { isOpen } from "../core/machine.ts";
import { own } from "../core/path.ts";
import type { InputRequest } from "../core/wire.ts";
import { FormKind } from "./formkind.ts";
import { html, type Template } from "./html.ts";
import type { Host, Kind } from "./kind.ts";

type Plain = new (host: Host) => Kind;
/** `Inner` is the kind that the reader looks after. */
type Kinds = Record<string, new (host: Host, Inner: Plain) => Kind>;

/** What draws the requests, as far as it is there. */
const kinds: Kinds = { form: FormKind };

const secrets = () => import("./secret/kind.ts");

/** What is not in the page's script is fetched when the first request of its kind is seen. */
const parts: Record<string, () => Promise<{ kinds: Kinds }>> = {
  approval: () => import("./approval/kind.ts"),
  secret: secrets,
  sensitive: secrets,
  reader: () => import("./reader/reader.ts"),
};

/** The kind of a request; a form of which something is kept secret has one of its own. */
const kindOf = ({ kind, form }: InputRequest): string =>
  form && allFields(form).some(({ sensitive }) => sensitive) ? "sensitive" : kind;

/** What draws a request: its kind, and what looks after it where it matters who this person is. */
const partsOf = (request: InputRequest) => {
  const { assignees, level = "", timeout_from, queued_behind } = request;
  const matters = assignees || queued_behind || /view|prompt/.test(level) || timeout_from === "shown";
  return [kindOf(request), matters ? "reader" : ""] as const;
};

/** What draws a request; nothing for one of a kind that is not known here, or could not be fetched. */
export function makeKind(request: InputRequest, host: Host): Kind | undefined {
  const [kind, reader] = partsOf(request);
  const Inner = own(kinds, kind) as Plain | undefined;
  return Inner && new (own(kinds, reader) ?? Inner)(host, Inner);
}

/**
 * Have what these requests are drawn by, which is fetched once.
 *
 * It never rejects. After a failure the next call tries again.
 */
export function loadKinds(requests: readonly InputRequest[]): Promise<unknown> | undefined {
  const missing = new Set(requests.flatMap(partsOf).filter((kind) => own(parts, kind) && !own(kinds, kind)));
  return missing.size > 0 ? Promise.all([...missing].map(fetchPart)) : undefined;
}

async function fetchPart(kind: string): Promise<void> {
  try {
    Object.assign(kinds, (await parts[kind]?.())?.kinds);
  } catch {
    // What it would draw can be dismissed.
  }
}

/** Draw an open request of a kind that is not known here, or could not be loaded. */
export function drawUnknown(host: Host): Template {
  const { say, view } = host;
  return html`<p>${say("unknown_kind")}</p>
    <div class="actions">
      <button type="button" aria-disabled=${!isOpen(view)} .onclick=${() => host.send("decline", { reason: "dismissed" })}>${say("dismiss")}</button>
    </div>`;
}
