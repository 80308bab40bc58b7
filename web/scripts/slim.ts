/** What the build leaves out of the pages: the layout of templates, long names, and texts that no page can show. */
import { readdirSync, readFileSync } from "node:fs";
import type { Plugin } from "vite";

interface Node {
  type?: string;
  start: number;
  end: number;
  tag?: { name?: string };
  quasi?: { quasis: Node[] };
}

/** A line break beside a tag is layout; a space within a line is meant. */
const squeezeHtml = (text: string): string =>
  text
    .replace(/\s*\/?>/g, ">")
    .replace(/="([\w-]+)"/g, "=$1")
    .replace(/>\s*\n\s*/g, ">")
    .replace(/\s*\n\s*(?=<)/g, "")
    .replace(/\s*\n\s*/g, " ");

const squeezeCss = (text: string): string =>
  text
    .replace(/\/\*.*?\*\//gs, "")
    .replace(/\s+/g, " ")
    .replace(/\s*([{};,>])\s*/g, "$1")
    .replace(/([\s:(,-])0\./g, "$1.")
    .replace(/: /g, ":")
    .replace(/;}/g, "}")
    .replace(/--_[a-z-]+/g, shortName);

const SOURCES = new URL("../src/", import.meta.url);
const sourcesIn = (folder: string): string[] =>
  readdirSync(new URL(folder, SOURCES), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(new URL(folder + name, SOURCES), "utf8"));
const sources = sourcesIn("elements/");
const applicationSources = sourcesIn("app/");

/** Our own custom properties. They are numbered by name, so that a page and its parts agree on them. */
const OWN_PROPERTIES = [
  ...new Set([...sources, ...applicationSources].flatMap((text) => text.match(/--_[a-z-]+/g) ?? [])),
].sort();
const shortName = (name: string): string => `--_${OWN_PROPERTIES.indexOf(name).toString(36)}`;

const SQUEEZE = new Map([
  ["html", squeezeHtml],
  ["css", squeezeCss],
  ["rules", squeezeCss],
]);

function* taggedNodes(node: unknown): Generator<Node> {
  if (typeof node !== "object" || node === null) return;
  if ((node as Node).type === "TaggedTemplateExpression") yield node as Node;
  for (const child of Object.values(node)) yield* taggedNodes(child);
}

/** Takes line breaks and indentation out of `html` and `css` templates, and shortens the names of our own properties. */
export function slimTemplates(): Plugin {
  return {
    name: "askback-slim-templates",
    apply: "build",
    transform(code, id) {
      if (!/\/src\/(elements|app)\//.test(id)) return null;
      const edits = [...taggedNodes(this.parse(code))].flatMap((node) => {
        const squeeze = SQUEEZE.get(node.tag?.name ?? "");
        return squeeze ? (node.quasi?.quasis ?? []).map((part) => ({ part, squeeze })) : [];
      });
      edits.sort((a, b) => b.part.start - a.part.start);
      let result = code;
      for (const { part, squeeze } of edits)
        result =
          result.slice(0, part.start) + squeeze(result.slice(part.start, part.end)) + result.slice(part.end);
      return { code: result, map: null };
    },
  };
}

/** Long names of our own properties that many elements have. None of them is in a text, an attribute or a message. */
const PROPERTIES = [
  "getText",
  "sessionKey",
  "afterDraw",
  "focusProblems",
  "clockOffset",
  "writeUnsent",
  "findFaults",
  "revisionNumber",
  "makeBody",
  "errorTarget",
  "clearError",
  "drawFailed",
  "drawActions",
  "drawDraftNotice",
  "unsentLine",
  "sendUnsent",
  "DeviceDraftStore",
  "keepsFocus",
  "hasTitle",
  "onSessionEnd",
  "blockedReason",
  "answerLanguages",
  "beforeDraw",
  "drawBefore",
  "loadEarlier",
];
const PROPERTY = new RegExp(`\\b(${PROPERTIES.join("|")})\\b`, "g");

/** Shortens those names, which the minifier keeps because they are properties. */
export function slimNames(): Plugin {
  return {
    name: "askback-slim-names",
    apply: "build",
    transform: (code, id) =>
      /\/web\/(src|pages)\/.*\.ts$/.test(id)
        ? { code: code.replaceAll(PROPERTY, (name) => `_${PROPERTIES.indexOf(name)}`), map: null }
        : null,
  };
}

const readSource = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const keysIn = (source: string, pattern: RegExp): string[] =>
  [...source.matchAll(pattern)].map((match) => match[1] ?? "");

/** The source files that make the faults which a page can show: our own controls give no values but those. */
const FAULTS = ["../src/elements/check.ts"];
/** Those of the part that knows the rules of the fields. */
const RULES = ["../src/core/values.ts", "../src/elements/rules/faults.ts"];

/** The keys of the faults that source files make, as a pattern. */
function faultsOf(paths: string[]): string {
  const stringLiterals = keysIn(paths.map(readSource).join("\n"), /["`]([a-z_]+[a-z_.]*(?:\$\{\w+\})?)["`]/g);
  const keys = stringLiterals.map((key) => key.replaceAll(".", "\\.").replace(/\$\{\w+\}/, "(date|time)"));
  return `fault\\.(${keys.join("|")})(\\.one)?`;
}

// The reasons of the policy and the headlines of calls come in English from the server.
const SHOWN_ENGLISH_KEYS = new RegExp(`^(ui\\..+|${faultsOf(FAULTS)})$`);
const SHOWN_KEYS = new RegExp(`^((reason|headline)\\..+|ui\\..+|${faultsOf([...FAULTS, ...RULES])})$`);

/** The texts that stand in the pages themselves, in English, and in no script. */
function inPages(): Set<string> {
  const files = readdirSync(new URL("../pages", import.meta.url)).map((name) => `../pages/${name}`);
  const scripts = files.filter((path) => path.endsWith(".ts")).map(readSource);
  const scriptKeys = new Set(
    keysIn([...sources, ...applicationSources, ...scripts].join("\n"), /\bgetText\("(\w+)"/g),
  );
  const written = [...files, "../layout.html"]
    .filter((path) => path.endsWith(".html"))
    .flatMap((path) => keysIn(readSource(path), /data-text="(\w+)"/g));
  return new Set(written.filter((key) => !scriptKeys.has(key)).map((key) => `ui.${key}`));
}

/** The parts that bring English texts along, by the first words of their keys. */
const PARTS: Record<string, string> = {
  action: "action\\.",
  answering: "answering\\.",
  app: "app\\.|conversation_with$|missing|skip_to_content$|sign_out$",
  approval: "approvals?\\.|(agent|send|someone|sure_no)$",
  chat: "chat\\.|call\\.|input$|thread_|you$|agent$",
  choices: "choices\\.|(not_given|skip_section)$",
  composer: "composer\\.|send$",
  declining: "decline_sends$",
  drafts: "drafts\\.|(approval\\.(deny|yes_never)|submitted_empty)$",
  files: "files\\.",
  markdown: "link_local$",
  mcp: "mcp_",
  package: "package\\.",
  reader: "reader\\.",
  request: "for_others$|conversation_with$",
  receipt:
    "(answered_by|asked_again|ask_again|cancelled\\..*|choices\\.skipped|chosen|declined\\..*|elsewhere|expired|lost|lost_self|not_done|not_given|nothing_given|remembered|someone|unsent|unused)$",
  revised: "revised\\.",
  secret: "secret\\.",
  shape: "shape\\.|sure(_\\w+)?$",
  sources: "sources\\.",
  timezone: "zone$",
};
/** The places of the application; the texts of the place `rules` are `ui.rules.…`, and come with it as `en.json?place=rules&texts`. */
const PLACES = readdirSync(new URL("app/places", SOURCES)).map((name) => `${name}\\.`);

/** What only the application shows. */
const APPLICATION = ["app\\.", ...PLACES].join("|");
const KEYS_OF_PARTS = new RegExp(`^ui\\.(${[...Object.values(PARTS), ...PLACES].join("|")})`);

/** Which texts a file of the catalogue keeps: `en.json`, `en.json?approval&texts`, `en.json?place=rules&texts`, `de.json`, `de.json?app&texts`. */
function keepKeys(language: string, part?: string, place?: string): (key: string) => boolean {
  const hasPrefix = (pattern: string) => (key: string) => new RegExp(`^${pattern}`).test(key);
  if (place) return hasPrefix(`ui\\.${place}\\.`);
  if (part === "rules") return hasPrefix(`${faultsOf(RULES)}$`);
  if (part) return hasPrefix(`ui\\.(${language === "en" ? PARTS[part] : APPLICATION})`);
  const keysInPages = inPages();
  return language === "en"
    ? (key) => SHOWN_ENGLISH_KEYS.test(key) && !KEYS_OF_PARTS.test(key) && !keysInPages.has(key)
    : (key) => SHOWN_KEYS.test(key) && !hasPrefix(`ui\\.(${APPLICATION})`)(key);
}

/** Which texts a module keeps, if it is a file of the catalogue. */
export function catalogueOf(id: string): ((key: string) => boolean) | undefined {
  const [, language, part, place] = /\/messages\/(\w+)\.json(?:\?(\w+)(?:=(\w+))?&texts)?$/.exec(id) ?? [];
  return language ? keepKeys(language, part, place) : undefined;
}

/**
 * Keeps, of the catalogues, the words of the pages and the faults of answers.
 *
 * The English words of a part are in the part, which asks for `en.json?action&texts`, `en.json?approval&texts` and so
 * on. The texts of another language are two files: those of the application, and all others.
 */
export function slimCatalogues(): Plugin {
  return {
    name: "askback-slim-catalogues",
    apply: "build",
    enforce: "pre",
    transform(code, id) {
      const keep = catalogueOf(id);
      if (!keep) return null;
      const entries = Object.entries(JSON.parse(code)).filter(([key]) => keep(key));
      return { code: JSON.stringify(Object.fromEntries(entries)), map: null, moduleType: "json" };
    },
  };
}
