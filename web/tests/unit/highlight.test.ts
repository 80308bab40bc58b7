import { expect, test } from "vitest";
import { type Syntax, syntaxOf, tokens } from "../../src/elements/approval/highlight.ts";

/** The tokens of a line, each as `group:text`, without what has no colour. */
const colours = (text: string, syntax: Syntax, marks: string[] = []): string[] =>
  tokens(text, syntax, marks).flatMap(([group, token]) => (group ? [`${group}:${token}`] : []));

test("a text is cut into tokens and nothing of it is lost", () => {
  for (const syntax of ["shell", "sql", "json", "hash", "slash", "plain"] as const)
    for (const text of [
      "",
      "a",
      `x = "a # b" # c // d -- e`,
      "'open",
      "\\",
      "a\tb",
      "/* open",
      "1e9 0x1f -5",
    ])
      expect(
        tokens(text, syntax)
          .map(([, token]) => token)
          .join(""),
      ).toBe(text);
});

test("strings, comments, keywords and numbers have a colour", () => {
  expect(colours(`if x: return "a # b"  # why 5`, "hash")).toEqual([
    "keyword:if",
    "keyword:return",
    `literal:"a # b"`,
    "remark:# why 5",
  ]);
  expect(colours("const a = 5; // no 'string'", "slash")).toEqual([
    "keyword:const",
    "digit:5",
    "remark:// no 'string'",
  ]);
  expect(colours(`{"a": [1, true]}`, "json")).toEqual([`literal:"a"`, "digit:1", "keyword:true"]);
  expect(colours("SELECT a FROM b -- all", "sql")).toEqual([
    "keyword:SELECT",
    "keyword:FROM",
    "remark:-- all",
  ]);
  expect(colours("cat $HOME | sort # x", "shell")).toEqual(["keyword:$HOME", "keyword:|", "remark:# x"]);
  expect(colours("if 5 'a' # b", "plain")).toEqual([]);
});

test("a dangerous word is marked as a word, with any blanks, and nowhere within another", () => {
  expect(colours("rm  -rf a; rm -rfv b; ./rm -rf c", "shell", ["rm -rf"])).toEqual([
    "risk:rm  -rf",
    "keyword:;",
    "keyword:;",
  ]);
  expect(colours("cat > /etc/motd.(x)", "shell", ["/etc/motd.(x)"])).toEqual(["risk:/etc/motd.(x)"]);
});

test("a file's language is known by the end of its name", () => {
  expect(["a/b.py", "Makefile", "x.TS", "a.sql", "notes", "a.constructor"].map(syntaxOf)).toEqual([
    "hash",
    "hash",
    "slash",
    "sql",
    "plain",
    "plain",
  ]);
});

test("the language of a block of code is known by its name or the end of a file's name", () => {
  const names = ["python", "py", "Shell", "TypeScript", "c++", "c#", "sql", "jsonc", "", "klingon"];
  expect(names.map(syntaxOf).join(" ")).toBe("hash hash hash slash slash slash sql json plain plain");
});
