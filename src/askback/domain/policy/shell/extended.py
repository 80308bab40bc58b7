"""Reads more of bash, for the built-in lists alone: patterns, tests, comments, input files, loops, a leading `cd`.

Computed text is not accepted: no substitutions, here-documents, assignments, arithmetic or functions. `rule_scope`
checks what a pattern may expand to; `delegation` expands `find -exec` and the like. See ADR 0032.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import product

from askback.domain.policy.reasons import Reason
from askback.domain.policy.shell.delegation import Step, expand_delegated
from askback.domain.policy.shell.extended_words import (
    ExtendedWord,
    Token,
    decode_word,
    extended_tokens,
    is_harmless_assignment,
)
from askback.domain.policy.shell.lexer import Argv, NotUnderstood, require_understood
from askback.domain.policy.shell.programs import STATE_BUILTINS
from askback.domain.values import frozen

_PLAIN_FOLDER = re.compile(r"[A-Za-z0-9_/][\w@+,./-]*|\.")
_LOOP_NAME = re.compile(r"[a-z]{1,8}\d?")
_SPECIAL_NAMES = frozenset("path cdpath fpath mailpath manpath prompt argv status options histchars".split())
_UNSPLIT = re.compile(r"[\w./@%+=:,-]+")
_SHOWN_VARIABLES = frozenset(
    """
    PATH PWD HOME USER LOGNAME SHELL LANG TERM HOSTNAME OSTYPE VIRTUAL_ENV NODE_ENV CI EDITOR GOPATH GOROOT
    JAVA_HOME
    """.split()
)
"""Environment variables that may be printed, because nobody stores a secret in them."""
_PRINTS = frozenset("echo [ [[ test".split())
_CLOSING_KEYWORDS = {"if": "fi", "while": "done", "until": "done", "for": "done", "{": "}", "(": ")"}
_INNER_KEYWORDS = {"then": "fi", "elif": "fi", "else": "fi", "do": "done"}
_STEPS = 60
_MAX_FOLDERS = 8


@frozen(slots=True)
class ExtendedReading:
    """The commands of a text, which are checked one by one, and an outline that the second reader must find too."""

    steps: tuple[Step, ...]
    outline: tuple[Argv, ...]
    inputs: tuple[str, ...] = ()
    posix: bool = False
    """Whether it is only certain on machines with POSIX paths: some Windows shells read it differently."""


def read_extended(text: str, *, posix: bool) -> ExtendedReading | None:
    """Read a command line that has no invisible characters; None if it is not understood."""
    try:
        return _Script(posix).read(text)
    except NotUnderstood:
        return None


def extended_argv(argv: Argv) -> ExtendedReading | None:
    """Read an argument vector, to expand the command that it runs; None if it is not understood."""
    try:
        return ExtendedReading(tuple(expand_delegated(Step(argv), None)), (argv,))
    except NotUnderstood:
        return None


@dataclass(slots=True)
class _Folders:
    """The folders where a command may run: `current` is one, or each that is possible; `all` is every one so far."""

    current: frozenset[str | None] = frozenset({None})
    all: frozenset[str | None] = frozenset({None})
    is_uncertain: bool = False
    moved: bool = False

    @property
    def places(self) -> tuple[str | None, ...]:
        """The folders where a command may run, in a fixed order."""
        return tuple(sorted(self.current, key=lambda place: place or ""))

    def change(self, folder: str) -> None:
        """Record a `cd` from every possible folder."""
        self.moved = True
        self.current = frozenset(posixpath.join(start or "", folder) for start in self.current)
        self.all |= self.current
        require_understood(len(self.all) <= _MAX_FOLDERS)

    def after_operator(self, operator: str, *, changed: bool, piped: bool) -> None:
        """Continue after an operator. After anything but `cd … &&`, a command may run even if the `cd` failed."""
        self.is_uncertain = operator == "||" or (self.is_uncertain and operator in {"&&", "|"})
        if operator not in {"&&", "|"} or (changed and (operator == "|" or piped or self.is_uncertain)):
            self.current = self.all


@dataclass(slots=True)
class _Script:
    """Reads the tokens once. `open` are the words that must close the open constructs."""

    posix: bool
    steps: list[Step] = field(default_factory=list[Step])
    outline: list[Argv] = field(default_factory=list[Argv])
    inputs: list[str] = field(default_factory=list[str])
    command: list[ExtendedWord] = field(default_factory=list[ExtendedWord])
    header: list[ExtendedWord] | None = None
    loops: dict[str, list[ExtendedWord]] = field(default_factory=dict[str, "list[ExtendedWord]"])
    loop_names: list[str] = field(default_factory=list[str])
    open: list[str] = field(default_factory=list[str])
    has_input: bool = False
    before: Step | None = None
    folders: _Folders = field(default_factory=_Folders)
    ended: bool = False
    assigned: bool = False
    expects_command: bool = False
    sign: str = ";"

    def read(self, text: str) -> ExtendedReading:
        for token in extended_tokens(text, posix=self.posix):
            match token.kind:
                case "word":
                    self._take_word(token)
                case "redirect" | "input":
                    self._redirect(token)
                case "bracket":
                    self._bracket(token.text)
                case "join" | "end":
                    self._separate(token.text)
                case _:
                    pass
        self._finish("\n")
        if self.open or self.expects_command or self.header is not None or self.assigned or not self.steps:
            raise NotUnderstood(Reason("uncertain"))
        has_parent_step = self.folders.moved and any(_has_parent_step(argv) for argv in self.outline)
        if (
            has_parent_step
            or len(self.steps) > _STEPS
            or any(step.argv[0] in STATE_BUILTINS for step in self.steps)
        ):
            raise NotUnderstood(Reason("uncertain"))
        return ExtendedReading(tuple(self.steps), tuple(self.outline), tuple(self.inputs))

    def _take_word(self, token: Token) -> None:
        require_understood(not self.ended)
        if self.header is not None:
            self.header.append(decode_word(token, first=False))
        elif self.command:
            self.command.append(decode_word(token, first=False))
        elif is_harmless_assignment(token.text):
            self.assigned = True
        elif self.assigned or not self._keyword(token.text):
            self.command.append(decode_word(token, first=True))
            self.assigned = False

    def _keyword(self, text: str) -> bool:
        """Take a shell keyword where a command may begin."""
        if text == "!":
            self.folders.is_uncertain = True
        elif text in _INNER_KEYWORDS:
            require_understood(self.open[-1:] == [_INNER_KEYWORDS[text]])
        elif text in _CLOSING_KEYWORDS and text != "(":
            self.open.append(_CLOSING_KEYWORDS[text])
            if text == "for":
                self.header = []
            else:
                self.loop_names.append("")
        elif text in _CLOSING_KEYWORDS.values() and text != ")":
            self._end(text)
        else:
            return False
        if text != "!":
            self.folders.after_operator(";", changed=False, piped=False)
            self.sign = ";"
        self.expects_command = not self.ended
        return True

    def _end(self, text: str) -> None:
        require_understood(self.open[-1:] == [text] and not self.expects_command)
        self.open.pop()
        self.loops.pop(self.loop_names.pop(), None)  # after the loop, its variable may have another value
        self.ended = True

    def _redirect(self, token: Token) -> None:
        require_understood(bool(self.command or self.ended) and self.header is None)
        if token.kind == "input":
            path = decode_word(token, first=False)
            require_understood(path.is_literal)
            self.has_input = True
            self.inputs.append(path.text)
            self.steps.append(Step(("cat", "--", path.text), folders=self.folders.places))
        else:
            require_understood(not self.posix or token.text[0] != "&")
            self.has_input = self.has_input or ">&" in token.text

    def _bracket(self, bracket: str) -> None:
        if bracket == "(":
            require_understood(not (self.command or self.ended or self.assigned) and self.header is None)
            self.open.append(")")
            self.loop_names.append("")
            self.expects_command = True
        else:
            self._finish(";")
            self._end(bracket)
        self.folders.after_operator(";", changed=False, piped=False)

    def _separate(self, operator: str) -> None:
        if self.header is not None:
            require_understood(operator in {";", "\n"})
            self._loop(self.header)
            self.header = None
        elif self.command or self.ended:
            self._finish(operator)
            self.expects_command = operator in {"&&", "||", "|"}
        else:
            require_understood(operator == "\n" and not self.assigned)

    def _loop(self, header: list[ExtendedWord]) -> None:
        name, values = header[0].text if header else "", header[2:]
        require_understood(
            bool(_LOOP_NAME.fullmatch(name)) and name not in _SPECIAL_NAMES and name not in self.loops
        )
        require_understood(header[1:2] != [] and header[1].text == "in" and bool(values))
        require_understood(not any(value.variables for value in values))
        self.outline.append(("for", *(value.text for value in (header[0], *values))))
        if any(value.is_pattern for value in values):
            # The loop reveals whether such a file exists.
            patterns = [value.text for value in values if value.is_pattern]
            self.steps.append(Step(("ls", *patterns), frozenset(patterns), self.folders.places))
        self.loops[name] = values
        self.loop_names.append(name)
        self.folders.after_operator(";", changed=False, piped=False)

    def _finish(self, operator: str) -> None:
        words, self.command, self.ended = self.command, [], False
        changed, piped = False, self.sign == "|"
        previous_step = None if self.has_input or self.loops or not piped else self.before
        self.before = None
        if words:
            self.expects_command = False
            self.outline.append(tuple(word.source_text for word in words))
            changed = words[0].text == "cd"
            if changed:
                self._change_folder(words)
            else:
                self._step(words, previous_step, piped=piped)
        self.has_input = False
        self.folders.after_operator(operator, changed=changed, piped=piped)
        self.sign = operator

    def _change_folder(self, words: list[ExtendedWord]) -> None:
        require_understood(len(words) == 2 and words[1].is_literal and not {"done"} & set(self.open))
        folder = words[1].text
        hidden = any(name.startswith(".") for name in folder.split("/") if name)
        require_understood(bool(_PLAIN_FOLDER.fullmatch(folder)) and (folder == "." or not hidden))
        self.folders.change(folder)

    def _step(self, words: list[ExtendedWord], previous_step: Step | None, *, piped: bool) -> None:
        require_understood(words[0].is_literal and bool(words[0].text))
        for choice in self._choices(words):
            values = [_substitute(word, choice, words[0].text) for word in words]
            patterns = frozenset(value.text for value in values if value.is_pattern)
            step = Step(tuple(value.text for value in values), patterns, self.folders.places, piped)
            self.steps += expand_delegated(step, previous_step)
            self.before = None if self.has_input else step
            require_understood(len(self.steps) <= _STEPS)

    def _choices(self, words: list[ExtendedWord]) -> Iterator[dict[str, ExtendedWord]]:
        """Return all combinations of values of the loop variables."""
        loop_names = [name for name in self.loops if any(name in word.names for word in words)]
        require_understood(
            all(len(self.loops[name]) <= _STEPS for name in loop_names) and len(loop_names) <= 2
        )
        for values in product(*(self.loops[name] for name in loop_names)):
            yield dict(zip(loop_names, values, strict=True))


def _substitute(word: ExtendedWord, values_by_name: dict[str, ExtendedWord], program: str) -> ExtendedWord:
    """Substitute variables in a word. For a program that only prints or compares it, any text will do."""
    text, prints = word.text, program in _PRINTS
    for variable in word.variables:
        value = values_by_name.get(variable.name)
        if value is None:
            is_shown = variable.name in _SHOWN_VARIABLES and (variable.quoted or program == "echo")
            require_understood(prints and (is_shown or variable.name == "?"))
            value = ExtendedWord("0" if variable.name == "?" else "x", "")
        elif value.is_pattern:
            require_understood(variable.quoted and (prints or text == variable.sign))
        else:
            require_understood(variable.quoted or bool(_UNSPLIT.fullmatch(value.text)))
        if value.is_pattern and prints:
            value = ExtendedWord("x", "")
        text = text.replace(variable.sign, value.text)
        word = replace(word, is_pattern=word.is_pattern or value.is_pattern)
    return replace(word, text=text)


def _has_parent_step(argv: Argv) -> bool:
    """Return whether a word has `..`, which leads somewhere else if a folder is a link."""
    return any(".." in re.split(r"[/=:,]", word) for word in argv)
