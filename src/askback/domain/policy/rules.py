"""Rules: what somebody decided once, written so that it cannot mean more than it says.

bash(git status)            exactly these words
bash(git diff:*)            these words, then anything that is not known to be risky
git status, git diff:*      the same, short
write_file(path=src/**)     a tool, with patterns for arguments
mcp__github__get_*          tools by name; `mcp:github:get_*` and `tool:Read` say the same
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, replace
from datetime import datetime
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, Literal

from askback.domain.policy import paths
from askback.domain.policy.calls import SHELL_TOOLS, Call, tool_name
from askback.domain.policy.shell.hazards import objection
from askback.domain.policy.shell.lexer import Argv, NotUnderstood, split_words
from askback.domain.policy.shell.programs import basename

Effect = Literal["deny", "ask", "allow"]
Scope = Literal["once", "thread", "project", "always"]

_FORM = re.compile(r"(?P<tool>[A-Za-z_][\w.:*?-]*)\((?P<inside>.*)\)", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_*?][\w.*?-]*")
_ARGUMENT = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*([^,]*?)\s*")
_LONGEST = 2_000


class RuleError(ValueError):
    """The text of a rule cannot be read; the message is a sentence that says how to mend it."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. `text` is its canonical form: two rules with the same text match the same calls.

    `words` is set for shell commands (`prefix`: more may follow), `tool` is a pattern of tool names, `arguments`
    are patterns by argument name. `locked` rules are not loosened by anything that a person decides on a card.
    `expires_at`, `who`, `why` and `subject` (the thread or project it holds for) are for those who look after rules.
    """

    effect: Effect
    text: str
    tool: str = ""
    words: Argv | None = None
    prefix: bool = False
    arguments: tuple[tuple[str, str], ...] = ()
    scope: Scope = "always"
    locked: bool = False
    expires_at: datetime | None = None
    subject: str | None = None
    who: str | None = None
    why: str | None = None

    def active(self, now: datetime) -> bool:
        """Tell whether the rule has not expired."""
        return self.expires_at is None or now < self.expires_at

    def objection(self, argv: Argv) -> str | None:
        """Say why this rule does not allow a simple command; empty when it is about other commands."""
        words = self.words
        if words is None or argv[: len(words)] != words or (not self.prefix and argv != words):
            return ""
        return objection(argv, len(words)) if self.prefix else None

    def denies(self, argv: Argv) -> bool:
        """Tell whether a command falls under this rule when it denies or asks: by any path, with any quoting."""
        if not self.words or not argv:
            return self.words == ()  # every command
        words = (basename(self.words[0]), *self.words[1:])
        seen = (basename(argv[0]), *argv[1:])
        return seen[: len(words)] == words and (self.prefix or len(seen) == len(words))

    def covers(self, call: Call) -> bool:
        """Tell whether a call of a tool that is no shell falls under this rule."""
        if self.words is not None:
            # A bare word may be the name of a program or of a tool; which one it is, the call shows.
            return len(self.words) == 1 and not self.prefix and not self.tool and call.name == self.words[0]
        if not fnmatchcase(call.name, self.tool):
            return False
        return all(_argument(call.input.get(name), glob, self.effect) for name, glob in self.arguments)


def parse_rule(text: str, effect: Effect = "allow", **facts: Any) -> Rule:
    """Read a rule. `facts` are its other fields (`scope`, `locked`, `who` …). Raises RuleError."""
    rule = _parsed(text, effect)
    return replace(rule, **facts) if facts else rule


@lru_cache(maxsize=4096)
def _parsed(text: str, effect: Effect) -> Rule:
    text = text.strip()
    if not text or len(text) > _LONGEST:
        raise RuleError(f"A rule has between 1 and {_LONGEST} characters.")
    form = _FORM.fullmatch(text)
    if form and form["tool"].casefold() in SHELL_TOOLS:
        return _command(form["inside"], effect)
    if form:
        return _with_arguments(form["tool"], form["inside"], effect)
    if text.startswith(("tool:", "mcp:", "mcp__")):
        return _tool(text.removeprefix("tool:"), effect)
    try:
        return _command(text, effect, bare=True)
    except RuleError:
        if _NAME.fullmatch(text) and ("*" in text or "?" in text):
            return _tool(text, effect)
        raise


def _command(inside: str, effect: Effect, *, bare: bool = False) -> Rule:
    inside = inside.strip()
    prefix = inside.endswith(":*")
    if inside in {"*", ":*", ""}:
        if effect == "allow":
            raise RuleError("A rule that allows every command is no rule; use the level `full` instead.")
        return Rule(effect, "bash(:*)", tool="*", words=(), prefix=True)
    try:
        words = split_words(inside.removesuffix(":*") if prefix else inside)
    except NotUnderstood as odd:
        raise RuleError(
            f"The rule `{inside}` cannot be read: {odd}. "
            "Write the words of one command, and `:*` behind them for any arguments."
        ) from None
    quoted = " ".join(shlex.quote(word) for word in words)
    if bare and len(words) == 1 and not prefix:
        return Rule(effect, quoted, words=words)
    return Rule(effect, f"bash({quoted}{':*' if prefix else ''})", tool="bash", words=words, prefix=prefix)


def _with_arguments(tool: str, inside: str, effect: Effect) -> Rule:
    arguments: list[tuple[str, str]] = []
    for part in inside.split(","):
        match = _ARGUMENT.fullmatch(part)
        if match is None or not match[2]:
            raise RuleError(
                f"The arguments of `{tool}({inside})` cannot be read; write them as `path=src/**`."
            )
        arguments.append((match[1], match[2]))
    name = tool_name(tool.removeprefix("tool:"))
    listed = ", ".join(f"{key}={glob}" for key, glob in arguments)
    return Rule(effect, f"{name}({listed})", tool=name, arguments=tuple(arguments))


def _tool(text: str, effect: Effect) -> Rule:
    name = tool_name(text)
    if effect == "allow" and (name.casefold() in SHELL_TOOLS or not name.strip("*?")):
        raise RuleError(
            f"The rule `{text}` would allow everything; name the command as in `bash(git status)`."
        )
    return Rule(effect, f"tool:{name}" if not name.startswith("mcp__") else name, tool=name)


def _argument(value: object, glob: str, effect: Effect) -> bool:
    if not isinstance(value, str):
        return False
    if effect == "allow" and (
        ".." in paths.parts(value) or "/../" in f"/{value}/" or "\\" in value or "\0" in value
    ):
        return False
    plain = re.sub(
        r"(?:\./|(?<=/)/)+", lambda m: "" if m.start() == 0 or value[m.start() - 1] == "/" else m[0], value
    )
    return _glob(glob).fullmatch(plain) is not None or (
        effect != "allow" and _glob(glob).fullmatch(value) is not None
    )


@lru_cache(maxsize=1024)
def _glob(glob: str) -> re.Pattern[str]:
    """`**` stands for any text, `*` and `?` for text without `/`."""
    parts = re.split(r"(\*\*|\*|\?)", glob)
    wild = {"**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(wild.get(part, re.escape(part)) for part in parts), re.DOTALL)
