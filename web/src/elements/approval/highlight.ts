import type { Parts } from "../../core/parts.ts";
import { ownValue } from "../../core/path.ts";
import { html, type Template } from "../html.ts";
import { renderEscapes } from "./escapes.ts";

/** The language of a text: a comment begins with `hash`, `slash` or `dash` signs; `plain` has no colours. */
export type Syntax = "shell" | "sql" | "json" | "hash" | "slash" | "plain";

/** The languages by the ends of file names, and by the names that a block of code gives them. */
const SYNTAXES: Record<string, Syntax> = {
  ...syntaxOfEach(
    "hash",
    "py pyi python sh bash zsh shell console rb ruby pl r yml yaml toml ini cfg conf tf nix dockerfile makefile mk",
  ),
  ...syntaxOfEach(
    "slash",
    "js mjs cjs jsx javascript ts tsx typescript go golang rs rust java kt c h cc cpp c++ hpp cs c# swift php scala dart css scss proto",
  ),
  ...syntaxOfEach("sql", "sql"),
  ...syntaxOfEach("json", "json jsonc"),
};

function syntaxOfEach(syntax: Syntax, names: string): Record<string, Syntax> {
  return Object.fromEntries(names.split(" ").map((name) => [name, syntax]));
}

/** The language of a file by the end of its name, or of a block of code by the name of its language. */
export const syntaxOf = (path: string): Syntax =>
  ownValue(SYNTAXES, /[^./]*$/.exec(path.toLowerCase())?.[0] ?? "") ?? "plain";

const COMMENT: Partial<Record<Syntax, string>> = {
  shell: "(?<!\\S)#.*",
  hash: "(?<!\\S)#.*",
  slash: "//.*|/\\*.*?(?:\\*/|$)",
  sql: "--.*|/\\*.*?(?:\\*/|$)",
};
const STRING = `"(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*'`;
const NUMBER = "(?<![\\w.])-?\\d[\\d_]*(?:\\.\\d+)?(?:e[+-]?\\d+)?(?!\\w)";
const CODE =
  "and|as|async|await|break|case|catch|class|const|continue|def|default|del|do|elif|else|enum|except|export|extends|false|finally|fn|for|from|func|function|if|impl|import|in|interface|is|lambda|let|match|new|nil|None|not|null|or|package|pass|pub|public|private|raise|return|self|static|struct|super|switch|this|throw|True|true|False|try|type|use|var|void|while|with|yield";
const SQL =
  "select|insert|into|update|delete|from|where|and|or|not|null|join|left|right|inner|outer|on|as|set|values|create|alter|drop|truncate|table|index|view|group|by|order|having|limit|offset|union|all|distinct|case|when|then|else|end|with|in|is|like|between|exists|returning|begin|commit|grant|revoke|to|primary|key|references|cascade|default";
const WORDS: Partial<Record<Syntax, string>> = {
  shell: "&&|\\|\\||[|;&]|\\$\\w+|\\$\\{[^}]*\\}",
  sql: `\\b(?:${SQL})\\b`,
  json: "true|false|null",
  hash: `\\b(?:${CODE})\\b`,
  slash: `\\b(?:${CODE})\\b`,
};

const MATCH_NOTHING = "(?!)";
const patterns = new Map<string, RegExp>();

/** One pattern for all tokens of a language; a dangerous word comes before everything else. */
function patternOf(syntax: Syntax, marks: readonly string[]): RegExp {
  const name = [syntax, ...marks].join("\n");
  let pattern = patterns.get(name);
  if (!pattern) {
    const words = marks.map((text) => text.replace(/[^\w\s]/g, "\\$&").replace(/\s+/g, "\\s+"));
    const groups = {
      risk: words.length > 0 ? `(?<![\\w./-])(?:${words.join("|")})(?![\\w-])` : MATCH_NOTHING,
      remark: COMMENT[syntax] ?? MATCH_NOTHING,
      literal: syntax === "plain" ? MATCH_NOTHING : STRING,
      keyword: WORDS[syntax] ?? MATCH_NOTHING,
      digit: syntax === "plain" || syntax === "shell" ? MATCH_NOTHING : NUMBER,
    };
    const source = Object.entries(groups).map(([group, text]) => `(?<${group}>${text})`);
    pattern = new RegExp(source.join("|"), syntax === "sql" ? "gi" : "g");
    patterns.set(name, pattern);
  }
  return pattern;
}

/** Cut a line into tokens, each with its group; what is no token has none. */
export function tokens(
  text: string,
  syntax: Syntax,
  marks: readonly string[] = [],
): readonly (readonly [group: string, text: string])[] {
  const found: [string, string][] = [];
  let end = 0;
  for (const { 0: token, index, groups = {} } of text.matchAll(patternOf(syntax, marks))) {
    if (index > end) found.push(["", text.slice(end, index)]);
    const group = Object.keys(groups).find((name) => groups[name] !== undefined) ?? "";
    found.push([group, token]);
    end = index + token.length;
  }
  if (end < text.length) found.push(["", text.slice(end)]);
  return found;
}

/** Longer pieces are not coloured: nobody reads them for their grammar. */
const LONGEST = 2_000;

/** Draw pieces of a text with the colours of its language; the escapes stay as they are. */
export const drawCode = (parts: Parts, syntax: Syntax, marks?: readonly string[]): (Template | string)[] =>
  parts.flatMap((part) =>
    typeof part === "string" && part.length <= LONGEST
      ? tokens(part, syntax, marks).map(([group, text]) =>
          group ? html`<span class=${group}>${text}</span>` : text,
        )
      : renderEscapes([part]),
  );
