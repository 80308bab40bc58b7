import { allFields } from "../core/form.ts";
import type { Form, InputRequest } from "../core/generated/wire.ts";
import { isTerminal } from "../core/lifecycle.ts";
import { isOpen } from "../core/machine.ts";
import { ownValue } from "../core/path.ts";
import { loadRules } from "./fieldrules.ts";
import { FormKind } from "./formkind.ts";
import { html, type Template } from "./html.ts";
import type { Host, Kind } from "./kind.ts";
import { needsTexts } from "./localtexts.ts";
import { onDemand } from "./ondemand.ts";

type KindClass = new (host: Host) => Kind;

/** The kinds that are loaded. */
const kinds: Record<string, KindClass> = { form: FormKind };
/** The parts that are there. */
const loadedParts = new Set<string>();
/** The mixins of kinds, by name. */
const mixins: Record<string, (Inner: KindClass) => KindClass> = {};

const secrets = () => import("./secret/kind.ts");

/** Kinds outside the page's script are loaded when their first request is shown. */
const parts: Record<string, () => Promise<object>> = {
  action: () => import("./action/kind.ts"),
  package: () => import("./package/kind.ts"),
  approval: () => import("./approval/kind.ts"),
  secret: secrets,
  sensitive: secrets,
  reader: () => import("./reader/reader.ts"),
  files: () => import("./files/kind.ts"),
  sources: () => import("./sources/kind.ts"),
  choices: () => import("./choices/kind.ts"),
  texts: () => import("./texts/texts.ts"),
  markdown: () => import("./markdown/rich.ts"),
  receipt: () => import("./receipt/receipt.ts"),
  drafts: () => import("./drafts/devicestore.ts"),
  revised: () => import("./revised/revision.ts"),
  declining: () => import("./declining/kind.ts"),
  timezone: () => import("./timezone/timezone.ts"),
  shape: () => import("./shape/warning.ts"),
};

/** Whether a form has more than plain fields. */
const hasChoices = (form: Form, json: string): boolean =>
  /"(sections|submit|readonly|allow_skip|visible_if|rows)":/.test(json) ||
  allFields(form).some((field) => "options" in field && field.options.length > 8);

/** What a form needs besides, by what its JSON has, that of its rows included. */
const formParts: Record<string, RegExp> = {
  files: /"type":"file"/,
  sources: /"options_from":/,
  timezone: /"type":"datetime"/,
  shape: /"style":"danger"/,
};

/** The kind of a request; a form of which something is kept secret has one of its own, those of packages share one. */
const kindOf = ({ kind, data }: InputRequest, json: string): string =>
  data ? "package" : json.includes('"sensitive":true') ? "sensitive" : kind;

/**
 * What draws a request: its kind, what its form adds, what chooses its texts, and what looks after it where it matters who
 * this person is.
 */
const partsOf = (request: InputRequest): string[] => {
  const { form, hooks, approval, assignees, assignment, level, timeout_from, queued_behind } = request;
  const hasReaders =
    assignees || assignment || approval?.exclude_requester || /view|prompt/.test(level ?? "");
  const needsReader = hasReaders || queued_behind || timeout_from === "shown";
  const json = JSON.stringify(form ?? "");
  return [
    kindOf(request, json),
    ...Object.keys(formParts).filter((name) => formParts[name]?.test(json)),
    ...(form && hasChoices(form, json) ? ["choices", "drafts"] : []),
    hooks?.includes("decline") ? "declining" : "",
    needsTexts(request) ? "texts" : "",
    needsReader ? "reader" : "",
  ].filter(Boolean);
};

/** What a request is drawn with besides; without it, Markdown is shown as text, and a receipt is one line. */
const extraPartsOf = ({ status, form, view, revision }: InputRequest): string[] => [
  ...(view?.markdown ? ["markdown"] : []),
  ...(form && revision > 1 ? ["revised"] : []),
  ...(isTerminal(status) || form?.layout === "steps" ? ["receipt", "drafts"] : []),
];

/**
 * The kind that draws a request; undefined if it is unknown, or could not be loaded. It is the one before, unless the form
 * needs other parts now.
 */
export function makeKind(request: InputRequest, host: Host, previousKind?: Kind): Kind | undefined {
  const [kind = "", ...mixinNames] = partsOf(request);
  const parts = `${kind},${mixinNames}`;
  if (previousKind && (!request.form || previousKind.parts === parts)) return previousKind;
  const KindWithMixins = mixinNames.reduce(
    (Inner, name) => Inner && ownValue(mixins, name)?.(Inner),
    ownValue(kinds, kind),
  );
  const inherit = previousKind && onDemand.inherit?.(previousKind);
  const nextKind = KindWithMixins && new KindWithMixins(host);
  if (nextKind) inherit?.(nextKind);
  return nextKind && Object.assign(nextKind, { parts });
}

/**
 * Have what these requests are drawn by, which is fetched once.
 *
 * It never rejects. After a failure the next call tries again.
 */
export function loadKinds(requests: readonly InputRequest[]): Promise<unknown> | undefined {
  const names = requests.flatMap((request) => [...partsOf(request), ...extraPartsOf(request)]);
  // Only Submit waits for the rules of the fields.
  if (requests.some(({ form, status }) => form && !isTerminal(status))) void loadRules();
  const missingNames = new Set(names.filter((name) => ownValue(parts, name) && !loadedParts.has(name)));
  return missingNames.size > 0 ? Promise.all([...missingNames].map(fetchPart)) : undefined;
}

async function fetchPart(name: string): Promise<void> {
  try {
    const part: { kinds?: object; mixins?: object } = (await parts[name]?.()) ?? {};
    loadedParts.add(name);
    Object.assign(kinds, part.kinds);
    Object.assign(mixins, part.mixins);
  } catch {
    // What it would draw can be dismissed.
  }
}

/** Draw an open request of a kind that is not known here, or could not be loaded, as after an upgrade of the server. */
export function drawUnknown(host: Host): Template {
  const { getText, view } = host;
  return html`<p>${getText("unknown_kind")}</p>
    <div class="actions">
      <button type="button" .onclick=${() => location.reload()}>${getText("reload")}</button>
      <button type="button" aria-disabled=${!isOpen(view)} .onclick=${() => host.send("decline", { reason: "dismissed" })}>${getText("dismiss")}</button>
    </div>`;
}
