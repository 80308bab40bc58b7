r"""Rules: stored decisions, in a strict notation.

bash(git status)            exactly these words
bash(git diff:*)            these words, then arguments that the program's table knows to be harmless
bash(deploy:!*)             these words, then any arguments at all
bash(make | tee log)        exactly this text, if it is clear what it runs; `sh(…)` for another shell
bash(make test) in /srv/a   the same, in this folder only; without a folder, in each root of the agent
git status, git diff:*      the same, short
write_file(path=src/**)     a tool, with patterns for arguments; it may have others, but see below
send_mail {"to": "bob"}     a tool with exactly this input, `restart {}` with none: the form that decisions store
tool:wait 5                 the same for an input that is no object
bash {"command": "a\nb"}      the same for a command of several lines, or with other keys that have an effect
mcp__github__get_*          tools by name; `mcp:github:get_*` and `tool:Read` say the same

A rule with patterns covers no call with a second argument that may mean the same, such as `To` beside `to`, or another
path. For a tool that writes files, it covers these files, with any contents. It does not cover a call
with other arguments than contents, such as a second path or a patch with its own files, unless it names them too.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, Literal, cast

from askback.domain import jsontext
from askback.domain.canonicaljson import NotCanonical, canonical_json
from askback.domain.faults import Faults
from askback.domain.policy import argument_patterns as args
from askback.domain.policy import paths
from askback.domain.policy.calls import SHELL_TOOLS, Call, fold_tool_name, tool_name
from askback.domain.policy.reasons import Reason
from askback.domain.policy.shell.characters import why_suspicious
from askback.domain.policy.shell.lexer import Argv, NotUnderstood, split_words
from askback.domain.policy.shell.prefix_check import why_not_allowed
from askback.domain.policy.shell.programs import basename
from askback.domain.policy.shell.reading import SHELLS
from askback.domain.policy.shell_input import normalize_folder
from askback.domain.values import frozen

Effect = Literal["deny", "ask", "allow"]

_FORM = re.compile(r"(?P<tool>[A-Za-z_][\w.:*?-]*)\((?P<inside>.*)\)")
_EXACT_INPUT = re.compile(r"(?P<tool>[A-Za-z_][\w.:/-]*)\s*(?P<input>\{.*\})")
_EXACT_VALUE = re.compile(r"tool:(?P<tool>[A-Za-z_][\w.:/-]*) (?P<input>[^\s{].*)")
_FOLDER = re.compile(r"(?P<rule>.*[)}]) in (?P<folder>[^(){}]+)")
_NAME = re.compile(r"[A-Za-z_*?][\w.:/*?-]*")
_ARGUMENT = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*([^,]*?)\s*")
_MAX_LENGTH = 2_000


class RuleError(ValueError):
    """The text of a rule cannot be parsed; `why`, the message, says how to fix it."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.why = reason


@frozen(slots=True)
class Rule:
    """One rule. `text` is its canonical form: rules with the same text match the same calls.

    `words` is set for shell commands (`prefix`: more words may follow; `any_arguments`: any words), `tool` is a
    pattern of tool names, `arguments` are patterns by argument name. `input` is the canonical JSON of the only input
    that matches; for a shell tool see `Call.exact_call`. `folder` is the only folder in which a shell command matches.
    Decisions on cards never loosen a `locked` rule. A `built_in` rule does not reach outside the agent's roots.
    """

    effect: Effect
    text: str
    tool: str = ""
    words: Argv | None = None
    prefix: bool = False
    any_arguments: bool = False
    arguments: tuple[tuple[str, str], ...] = ()
    input: bytes | None = None
    folder: str | None = None
    locked: bool = False
    built_in: bool = False

    @property
    def is_literal(self) -> bool:
        """Whether the rule has no patterns: it covers only what it names."""
        if self.words is not None:
            return not self.prefix
        return self.input is not None or bool(
            self.arguments and not any(args.has_wildcard(g) for _, g in self.arguments)
        )

    def applies_in_folder(self, call: Call) -> bool:
        """Return whether the rule applies in the call's folder; a deny rule also applies if the folder is unknown."""
        if self.folder is None or call.folder == self.folder:
            return True
        return self.effect != "allow" and not (call.folder or "").startswith("/")

    def matches_words(self, argv: Argv) -> bool:
        """Return whether the words of a simple command match this rule."""
        words = self.words
        return words is not None and argv[: len(words)] == words and (self.prefix or argv == words)

    def why_not_allowed(self, argv: Argv) -> Reason | None:
        """Return why this rule does not allow a simple command that it matches."""
        words = self.words or ()
        if self.any_arguments:
            return paths.why_sensitive(argv[len(words) :])
        return why_not_allowed(argv, len(words)) if self.prefix else None

    def denies(self, argv: Argv) -> bool:
        """Return whether a command matches this rule if it denies or asks: by any path, with any quoting."""
        words = self.words
        if not words or not argv:
            return words == ()  # every command
        return (
            basename(argv[0]) == basename(words[0])
            and argv[1 : len(words)] == words[1:]
            and (self.prefix or len(argv) == len(words))
        )

    def covers(self, call: Call) -> bool:
        """Return whether the tool and the input of a call match this rule, apart from commands in it.

        An allow rule matches as narrowly as it is written, a deny or ask rule as widely as it may be meant.
        """
        return self._allows(call) if self.effect == "allow" else self._stops(call)

    def _allows(self, call: Call) -> bool:
        if self.words is not None:
            return self._is_bare and call.name == self.words[0]
        if call.is_shell and self.input is not None:
            return self.applies_in_folder(call) and call.exact_call == (self.tool, self.input)
        if not _matches_name(call.name, self.tool):
            return False
        if self.input is not None:
            return call.canonical_input == self.input
        names = {name for name, _ in self.arguments}
        if names and (
            args.names_rival(call.members, names) or (call.is_edit and not call.other_keys <= names)
        ):
            return False
        return all(args.allow_matches(call.members, name, glob) for name, glob in self.arguments)

    def _stops(self, call: Call) -> bool:
        if self.words is not None:
            return self._is_bare and call.folded_name == fold_tool_name(self.words[0])
        if call.is_shell and self.input is not None:
            return self.applies_in_folder(call) and call.exact_call[1] == self.input
        if not _matches_name(call.folded_name, fold_tool_name(self.tool)):
            return False
        if self.input is not None:
            return call.canonical_input == self.input
        return all(
            args.deny_matches(call.members, call.possible_paths, name, glob) for name, glob in self.arguments
        )

    @property
    def _is_bare(self) -> bool:
        """Whether this is a single word, which may name a program or a tool."""
        return self.words is not None and len(self.words) == 1 and not self.prefix and not self.tool


def _matches_name(name: str, pattern: str) -> bool:
    return name == pattern or (args.has_wildcard(pattern) and fnmatchcase(name, pattern))


def parse_rule(text: str, effect: Effect = "allow", *, locked: bool = False) -> Rule:
    """Parse a rule. Raises RuleError."""
    rule = _parse(text, effect)
    return replace(rule, locked=True) if locked else rule


@lru_cache(maxsize=4096)
def _parse(text: str, effect: Effect) -> Rule:
    text = text.strip()
    rule = _parse_notation(text, effect)
    # The canonical text is stored and shown, so it must mean the same.
    if rule.text != text and _parse_notation(rule.text, effect) != rule:
        raise RuleError(Reason("rule_ambiguous"))
    return rule


def _parse_notation(text: str, effect: Effect) -> Rule:
    if not text or len(text) > _MAX_LENGTH:
        raise RuleError(Reason("rule_too_long", max=str(_MAX_LENGTH)))
    if "\n" in text or "\t" in text or why_suspicious(text):
        raise RuleError(Reason("rule_characters"))
    form, exact_match = _FORM.fullmatch(text), _EXACT_INPUT.fullmatch(text) or _EXACT_VALUE.fullmatch(text)
    folder_match = _FOLDER.fullmatch(text)
    if folder_match and not form and not exact_match:
        return _limit_to_folder(_parse_notation(folder_match["rule"], effect), folder_match["folder"])
    if form and form["tool"].casefold() in SHELL_TOOLS:
        return _command_rule(form["inside"], effect, tool=form["tool"].casefold())
    if form:
        return _argument_rule(form["tool"], form["inside"], effect)
    if exact_match:
        return _input_rule(exact_match["tool"], exact_match["input"], effect)
    if text.startswith(("tool:", "mcp:", "mcp__")):
        return _tool_rule(text.removeprefix("tool:"), effect)
    try:
        return _command_rule(text, effect, bare=True)
    except RuleError:
        if _NAME.fullmatch(text) and args.has_wildcard(text):
            return _tool_rule(text, effect)
        raise


def _limit_to_folder(rule: Rule, folder: str) -> Rule:
    if folder != normalize_folder(folder) or (
        rule.tool != "bash" and fold_tool_name(rule.tool) not in SHELL_TOOLS
    ):
        raise RuleError(Reason("rule_folder"))
    return replace(rule, text=f"{rule.text} in {folder}", folder=folder)


def _command_rule(content: str, effect: Effect, *, bare: bool = False, tool: str = "bash") -> Rule:
    content = content.strip()
    any_ending = content.endswith(":!*")
    prefix = any_ending or content.endswith(":*")
    if content in {"*", ":*", ""}:
        if effect == "allow":
            raise RuleError(Reason("rule_everything"))
        return Rule(effect, "bash(:*)", tool="*", words=(), prefix=True)
    if any_ending and effect != "allow":
        raise RuleError(Reason("rule_denies_arguments"))
    suffix = ":!*" if any_ending else ":*" if prefix else ""
    try:
        words = split_words(content.removesuffix(suffix))
    except NotUnderstood as error:
        if prefix or bare:
            raise RuleError(Reason("rule_unread", rule=content, why=error.why)) from None
        return _exact_rule(tool, {"command": content}, effect)
    quoted = " ".join(shlex.quote(word) for word in words)
    if bare and len(words) == 1 and not prefix:
        return Rule(effect, quoted, words=words)
    text = f"bash({quoted}{suffix})"
    return Rule(effect, text, tool="bash", words=words, prefix=prefix, any_arguments=any_ending)


def _argument_rule(tool: str, content: str, effect: Effect) -> Rule:
    arguments: list[tuple[str, str]] = []
    for part in content.split(","):
        match = _ARGUMENT.fullmatch(part)
        if match is None or not match[2]:
            raise RuleError(Reason("rule_arguments", rule=f"{tool}({content})"))
        arguments.append((match[1], match[2]))
    name = tool_name(tool.removeprefix("tool:"))
    patterns_text = ", ".join(f"{key}={glob}" for key, glob in arguments)
    return Rule(effect, f"{name}({patterns_text})", tool=name, arguments=tuple(arguments))


def _input_rule(tool: str, content: str, effect: Effect) -> Rule:
    name = tool_name(tool.removeprefix("tool:"))
    try:
        value = jsontext.parse(content)
        input_text = canonical_json(value)
    except (Faults, NotCanonical):
        value = input_text = None
    shell = fold_tool_name(name) in SHELL_TOOLS
    if shell and isinstance(value, dict):
        return _exact_rule(fold_tool_name(name), cast("dict[str, Any]", value), effect)
    if shell or input_text is None:
        raise RuleError(Reason("rule_input", tool=name, example='{"to": "bob"}')) from None
    return Rule(effect, exact_rule_text(name, input_text), tool=name, input=input_text)


def _exact_rule(tool: str, arguments: dict[str, Any], effect: Effect) -> Rule:
    """Make the rule for exactly one call of a shell tool. It must be clear what the command runs."""
    call = Call(tool, arguments)
    if call.folder is not None:
        raise RuleError(Reason("rule_folder_inside"))
    literal = call.shell_input.literal
    if effect == "allow" and literal.why_not:
        raise RuleError(Reason("rule_unsaid", why=literal.why_not))
    tool_name, canonical_input = call.exact_call
    return Rule(effect, shell_rule_text(call), tool=tool_name, input=canonical_input)


def shell_rule_text(call: Call) -> str:
    """Write the rule for exactly one call of a shell tool, without its folder."""
    shell_input, (tool_name, canonical_input) = call.shell_input, call.exact_call
    if shell_input.other_members or "\n" in shell_input.text or "\t" in shell_input.text:
        return exact_rule_text(tool_name, canonical_input)
    if shell_input.words and call.reading and not call.reading.unclear:
        return f"bash({shell_input.text})"
    return (
        f"{tool_name}({shell_input.text})"
        if shell_input.shell in SHELLS
        else exact_rule_text(tool_name, canonical_input)
    )


def exact_rule_text(name: str, canonical: bytes) -> str:
    """Write the rule for a tool with exactly one input, given as canonical JSON."""
    prefix = "" if canonical.startswith(b"{") else "tool:"
    return f"{prefix}{name} {json.dumps(json.loads(canonical), ensure_ascii=False)}"


def _tool_rule(text: str, effect: Effect) -> Rule:
    name = tool_name(text)
    if not _NAME.fullmatch(name):
        raise RuleError(Reason("rule_tool"))
    if effect == "allow" and (fold_tool_name(name) in SHELL_TOOLS or not any(c.isalnum() for c in name)):
        raise RuleError(Reason("rule_any_tool", rule=text))
    return Rule(effect, f"tool:{name}" if not name.startswith("mcp__") else name, tool=name)
