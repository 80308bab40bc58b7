"""More of bash, for the ready-made lists alone: patterns, tests, comments, input from a file, loops, `cd` in front.

Everything that is computed stays out: substitutions, here-documents, assignments, arithmetic, functions. What a
pattern may expand to is judged in `bounds`; what `find -exec` and the like run, in `handed`. See ADR 0032.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import product

from askback.domain.policy.reasons import Reason
from askback.domain.policy.shell.handed import Step, plainer
from askback.domain.policy.shell.lexer import Argv, NotUnderstood
from askback.domain.policy.shell.programs import STATE
from askback.domain.policy.shell.wider_words import Text, Token, assigns, tokens, word
from askback.domain.policy.wordlist import words

_PLAIN_FOLDER = re.compile(r"[A-Za-z0-9_/][\w@+,./-]*|\.")
_LOOP_NAME = re.compile(r"[a-z]{1,8}\d?")
_SPECIAL_NAMES = words("path cdpath fpath mailpath manpath prompt argv status options histchars")
_UNSPLIT = re.compile(r"[\w./@%+=:,-]+")
_SHOWN = words(
    "PATH PWD HOME USER LOGNAME SHELL LANG TERM HOSTNAME OSTYPE VIRTUAL_ENV NODE_ENV CI EDITOR GOPATH GOROOT JAVA_HOME"
)
"""Variables of the environment that may be printed: no one keeps a secret in them."""
_PRINTS = words("echo [ [[ test")
_ENDS = {"if": "fi", "while": "done", "until": "done", "for": "done", "{": "}", "(": ")"}
_INSIDE = {"then": "fi", "elif": "fi", "else": "fi", "do": "done"}
_STEPS = 60
_PLACES = 8


@dataclass(frozen=True, slots=True)
class Wider:
    """The commands of a text, to be judged one by one, and what a second reader has to find in it."""

    steps: tuple[Step, ...]
    outline: tuple[Argv, ...]
    inputs: tuple[str, ...] = ()
    posix: bool = False
    """Whether it is only certain where paths are those of POSIX: there are shells of Windows that read it otherwise."""


def read_wider(text: str, *, posix: bool) -> Wider | None:
    """Read a command line without characters that hide; None when it has more than is understood."""
    try:
        return _Script(posix).read(text)
    except NotUnderstood:
        return None


def wider_argv(argv: Argv) -> Wider | None:
    """Read an argument vector: only for what a command hands to another one."""
    try:
        return Wider(tuple(plainer(Step(argv), None)), (argv,))
    except NotUnderstood:
        return None


@dataclass(slots=True)
class _Folders:
    """Where a command may run. `here` is where it runs for certain, or each place that is possible; `all` every one."""

    here: frozenset[str | None] = frozenset({None})
    all: frozenset[str | None] = frozenset({None})
    doubt: bool = False
    moved: bool = False

    @property
    def places(self) -> tuple[str | None, ...]:
        """Where a command may run, in a fixed order."""
        return tuple(sorted(self.here, key=lambda place: place or ""))

    def change(self, folder: str) -> None:
        """Note a `cd`: every place that is possible, and the one below it."""
        self.moved = True
        self.here = frozenset(posixpath.join(place or "", folder) for place in self.here)
        self.all |= self.here
        _require(len(self.all) <= _PLACES)

    def behind(self, sign: str, *, changed: bool, piped: bool) -> None:
        """Go on behind a sign. Behind anything but `cd … &&`, a command may run where the `cd` failed."""
        self.doubt = sign == "||" or (self.doubt and sign in {"&&", "|"})
        if sign not in {"&&", "|"} or (changed and (sign == "|" or piped or self.doubt)):
            self.here = self.all


@dataclass(slots=True)
class _Script:
    """Goes through the tokens once. `open` are the words that have to end what has begun."""

    posix: bool
    steps: list[Step] = field(default_factory=list[Step])
    outline: list[Argv] = field(default_factory=list[Argv])
    inputs: list[str] = field(default_factory=list[str])
    command: list[Text] = field(default_factory=list[Text])
    header: list[Text] | None = None
    loops: dict[str, list[Text]] = field(default_factory=dict[str, "list[Text]"])
    named: list[str] = field(default_factory=list[str])
    open: list[str] = field(default_factory=list[str])
    fed: bool = False
    before: Step | None = None
    folders: _Folders = field(default_factory=_Folders)
    ended: bool = False
    assigned: bool = False
    wanted: bool = False
    sign: str = ";"

    def read(self, text: str) -> Wider:
        for token in tokens(text, posix=self.posix):
            match token.kind:
                case "word":
                    self._word(token)
                case "redirect" | "input":
                    self._redirect(token)
                case "bracket":
                    self._bracket(token.text)
                case "join" | "end":
                    self._separate(token.text)
                case _:
                    pass
        self._finish("\n")
        if self.open or self.wanted or self.header is not None or self.assigned or not self.steps:
            raise NotUnderstood(Reason("uncertain"))
        up = self.folders.moved and any(_up(argv) for argv in self.outline)
        if up or len(self.steps) > _STEPS or any(step.argv[0] in STATE for step in self.steps):
            raise NotUnderstood(Reason("uncertain"))
        return Wider(tuple(self.steps), tuple(self.outline), tuple(self.inputs))

    def _word(self, token: Token) -> None:
        _require(not self.ended)
        if self.header is not None:
            self.header.append(word(token, first=False))
        elif self.command:
            self.command.append(word(token, first=False))
        elif assigns(token.text):
            self.assigned = True
        elif self.assigned or not self._keyword(token.text):
            self.command.append(word(token, first=True))
            self.assigned = False

    def _keyword(self, text: str) -> bool:
        """Take a word of the shell's language where a command may begin."""
        if text == "!":
            self.folders.doubt = True
        elif text in _INSIDE:
            _require(self.open[-1:] == [_INSIDE[text]])
        elif text in _ENDS and text != "(":
            self.open.append(_ENDS[text])
            if text == "for":
                self.header = []
            else:
                self.named.append("")
        elif text in _ENDS.values() and text != ")":
            self._end(text)
        else:
            return False
        if text != "!":
            self.folders.behind(";", changed=False, piped=False)
            self.sign = ";"
        self.wanted = not self.ended
        return True

    def _end(self, text: str) -> None:
        _require(self.open[-1:] == [text] and not self.wanted)
        self.open.pop()
        self.loops.pop(self.named.pop(), None)  # behind the loop, its variable may be another one again
        self.ended = True

    def _redirect(self, token: Token) -> None:
        _require(bool(self.command or self.ended) and self.header is None)
        if token.kind == "input":
            path = word(token, first=False)
            _require(path.literal)
            self.fed = True
            self.inputs.append(path.text)
            self.steps.append(Step(("cat", "--", path.text), folders=self.folders.places))
        else:
            _require(not self.posix or token.text[0] != "&")
            self.fed = self.fed or ">&" in token.text

    def _bracket(self, sign: str) -> None:
        if sign == "(":
            _require(not (self.command or self.ended or self.assigned) and self.header is None)
            self.open.append(")")
            self.named.append("")
            self.wanted = True
        else:
            self._finish(";")
            self._end(sign)
        self.folders.behind(";", changed=False, piped=False)

    def _separate(self, sign: str) -> None:
        if self.header is not None:
            _require(sign in {";", "\n"})
            self._loop(self.header)
            self.header = None
        elif self.command or self.ended:
            self._finish(sign)
            self.wanted = sign in {"&&", "||", "|"}
        else:
            _require(sign == "\n" and not self.assigned)

    def _loop(self, header: list[Text]) -> None:
        name, values = header[0].text if header else "", header[2:]
        _require(bool(_LOOP_NAME.fullmatch(name)) and name not in _SPECIAL_NAMES and name not in self.loops)
        _require(header[1:2] != [] and header[1].text == "in" and bool(values))
        _require(not any(value.variables for value in values))
        self.outline.append(("for", *(value.text for value in (header[0], *values))))
        if any(value.wild for value in values):
            # Whether a file is there shows in what the loop does.
            seen = [value.text for value in values if value.wild]
            self.steps.append(Step(("ls", *seen), frozenset(seen), self.folders.places))
        self.loops[name] = values
        self.named.append(name)
        self.folders.behind(";", changed=False, piped=False)

    def _finish(self, sign: str) -> None:
        found, self.command, self.ended = self.command, [], False
        changed, piped = False, self.sign == "|"
        before = None if self.fed or self.loops or not piped else self.before
        self.before = None
        if found:
            self.wanted = False
            self.outline.append(tuple(each.shown for each in found))
            changed = found[0].text == "cd"
            if changed:
                self._change_folder(found)
            else:
                self._step(found, before, piped=piped)
        self.fed = False
        self.folders.behind(sign, changed=changed, piped=piped)
        self.sign = sign

    def _change_folder(self, found: list[Text]) -> None:
        _require(len(found) == 2 and found[1].literal and not {"done"} & set(self.open))
        folder = found[1].text
        hidden = any(name.startswith(".") for name in folder.split("/") if name)
        _require(bool(_PLAIN_FOLDER.fullmatch(folder)) and (folder == "." or not hidden))
        self.folders.change(folder)

    def _step(self, found: list[Text], before: Step | None, *, piped: bool) -> None:
        _require(found[0].literal and bool(found[0].text))
        for chosen in self._choices(found):
            values = [_filled(each, chosen, found[0].text) for each in found]
            wild = frozenset(each.text for each in values if each.wild)
            step = Step(tuple(each.text for each in values), wild, self.folders.places, piped)
            self.steps += plainer(step, before)
            self.before = None if self.fed else step
            _require(len(self.steps) <= _STEPS)

    def _choices(self, found: list[Text]) -> Iterator[dict[str, Text]]:
        """Go through the values that the variables of loops may have, all combinations."""
        used = [name for name in self.loops if any(name in each.names for each in found)]
        _require(all(len(self.loops[name]) <= _STEPS for name in used) and len(used) <= 2)
        for values in product(*(self.loops[name] for name in used)):
            yield dict(zip(used, values, strict=True))


def _filled(given: Text, chosen: dict[str, Text], program: str) -> Text:
    """Put the values of variables into a word. To a program that only prints or compares it, any text is the same."""
    text, prints = given.text, program in _PRINTS
    for each in given.variables:
        value = chosen.get(each.name)
        if value is None:
            known = each.name in _SHOWN and (each.quoted or program == "echo")
            _require(prints and (known or each.name == "?"))
            value = Text("0" if each.name == "?" else "x", "")
        elif value.wild:
            _require(each.quoted and (prints or text == each.sign))
        else:
            _require(each.quoted or bool(_UNSPLIT.fullmatch(value.text)))
        if value.wild and prints:
            value = Text("x", "")
        text = text.replace(each.sign, value.text)
        given = replace(given, wild=given.wild or value.wild)
    return replace(given, text=text)


def _require(understood: bool) -> None:
    if not understood:
        raise NotUnderstood(Reason("uncertain"))


def _up(argv: Argv) -> bool:
    """Tell whether a word leads up: of a folder that is a link, that is somewhere else."""
    return any(".." in re.split(r"[/=:,]", word) for word in argv)
