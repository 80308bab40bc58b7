"""Rewrites commands that run others as the commands that they run: `find -exec`, `xargs -0`, `git -C`.

For the built-in lists alone. File names must be passed whole: a bare `xargs` splits a file name such as `a .env
b.py` into three.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from askback.domain.policy.filters import safe_glob
from askback.domain.policy.shell import languages
from askback.domain.policy.shell.lexer import Argv, require_understood
from askback.domain.values import frozen

_FOLDER = re.compile(r"(?!.*\.\.)[A-Za-z0-9_/.][\w@+,./-]*")
_GIT_FLAGS = frozenset("--no-pager --no-optional-locks".split())
_GIT_SETTING = re.compile(
    r"color\.(?:ui|status|diff|branch)=(?:false|never|no)|core\.(?:pager=cat|quotepath=(?:off|false))"
)
_XARGS_FLAGS = frozenset("-0 --null -r --no-run-if-empty -0r -r0".split())
_NULL = frozenset("-0 --null -0r -r0".split())
_FILES = 12
_MAX_DEPTH = 20


@frozen(slots=True)
class Step:
    """One command to check: `patterns` are words that expand, `folders` where it may run (None: the call's folder)."""

    argv: Argv
    patterns: frozenset[str] = frozenset()
    folders: tuple[str | None, ...] = (None,)
    piped: bool = False


def expand_delegated(step: Step, previous_step: Step | None) -> Iterator[Step]:
    """Return the commands that a step runs; `before` is piped into it. Raises NotUnderstood."""
    argv = step.argv
    if argv[0] == "find" and "-exec" in argv:
        yield from _expand_find(step)
    elif argv[0] == "xargs" and previous_step is not None:
        yield from _expand_xargs(step, previous_step)
    elif argv[0] == "git" and argv[1:2] and argv[1].startswith("-"):
        yield _expand_git(step)
    elif argv[0] == "[[" and argv[-1] == "]]":
        yield replace(step, argv=("[", *argv[1:-1], "]"))
    elif argv[0] == "command" and argv[1:2] in {("-v",), ("-V",)}:
        yield replace(step, argv=("which", *argv[2:]))
    else:
        yield step


def _expand_git(step: Step) -> Step:
    unread_words = list(reversed(step.argv[1:]))
    while unread_words and unread_words[-1].startswith("-"):
        option = unread_words.pop()
        if option == "-C" and unread_words and _FOLDER.fullmatch(unread_words[-1]):
            folder = unread_words.pop()
            step = replace(step, folders=tuple(posixpath.join(base or "", folder) for base in step.folders))
        elif option in _GIT_FLAGS or (
            option == "-c" and unread_words and _GIT_SETTING.fullmatch(unread_words.pop())
        ):
            continue
        else:
            return step
    return replace(step, argv=("git", *reversed(unread_words)))


def _expand_xargs(step: Step, previous_step: Step) -> Iterator[Step]:
    unread_words = list(reversed(step.argv[1:]))
    flags: set[str] = set()
    while unread_words and unread_words[-1].startswith("-"):
        flags.add(unread_words.pop())
        if flags & {"-n", "-P"}:
            flags -= {"-n", "-P"}
            require_understood(bool(unread_words) and unread_words.pop().isdecimal())
    require_understood(
        bool(unread_words)
        and bool(flags & _NULL)
        and flags <= _XARGS_FLAGS
        and previous_step.argv[0] == "find"
    )
    find = _Find(previous_step)
    require_understood(
        find.printed_patterns is not None and not find.commands and not {"-print", "-ls"} & set(find.tests)
    )
    argv = tuple(reversed(unread_words))
    yield replace(step, argv=argv, piped=False)  # without input it runs as well
    yield _with_files(argv, find.printed_patterns or (), step)


def _expand_find(step: Step) -> Iterator[Step]:
    find = _Find(step)
    yield replace(step, argv=("find", *find.starts, *find.tests))
    for argv, files in find.commands:
        placeholders = [i for i, word in enumerate(argv) if word == "{}"]
        require_understood(
            len(placeholders) == 1
            and placeholders[0] > 0
            and not any("{}" in word for word in argv if word != "{}")
        )
        yield _with_files(argv[: placeholders[0]], files, step, argv[placeholders[0] + 1 :])


def _with_files(argv: Argv, files: tuple[str, ...], step: Step, trailing_words: Argv = ()) -> Step:
    return replace(
        step, argv=(*argv, *files, *trailing_words), patterns=step.patterns | set(files), piped=True
    )


@dataclass(slots=True)
class _Find:
    """The parsed expression of a find.

    `commands` are the commands that it runs, each with name patterns of its files; `printed_patterns` are those of
    `-print0`.
    """

    step: Step
    starts: list[str] = field(default_factory=list[str])
    tests: list[str] = field(default_factory=list[str])
    commands: list[tuple[Argv, tuple[str, ...]]] = field(default_factory=list[tuple[Argv, tuple[str, ...]]])
    printed_patterns: tuple[str, ...] | None = None
    remaining_words: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        self.remaining_words = list(reversed(self.step.argv[1:]))
        require_understood(sum(word in {"(", "!", "-not"} for word in self.remaining_words) <= _MAX_DEPTH)
        while self.remaining_words and not self.remaining_words[-1].startswith(("-", "(", "!")):
            self.starts.append(self.remaining_words.pop())
        require_understood(bool(self.starts) and not set(self.starts) & self.step.patterns)
        self._alternatives(None)
        require_understood(not self.remaining_words)

    def _alternatives(self, names: frozenset[str] | None) -> frozenset[str] | None:
        """Read up to a closing parenthesis. Return the name patterns that match; None if any name may."""
        alternatives = [self._conjunction(names)]
        while self.remaining_words and self.remaining_words[-1] in {"-o", "-or"}:
            self.tests.append(self.remaining_words.pop())
            alternatives.append(self._conjunction(names))
        known_alternatives = [alternative for alternative in alternatives if alternative is not None]
        return (
            frozenset[str]().union(*known_alternatives)
            if len(known_alternatives) == len(alternatives)
            else None
        )

    def _conjunction(self, names: frozenset[str] | None) -> frozenset[str] | None:
        while self.remaining_words and self.remaining_words[-1] not in {")", "-o", "-or"}:
            names = self._primary(names)
        return names

    def _primary(self, names: frozenset[str] | None) -> frozenset[str] | None:
        word = self.remaining_words.pop()
        if word == "-exec":
            self._exec(names)
            return names
        self.tests.append(word)
        if word == "(":
            inner = self._alternatives(names)
            require_understood(bool(self.remaining_words))
            self.tests.append(self.remaining_words.pop())
            return inner
        if word in {"!", "-not"}:
            require_understood(bool(self.remaining_words))
            self._primary(names)
        elif word == "-print0":
            require_understood(names is not None and self.printed_patterns is None)
            self.printed_patterns = self._files(names)
        elif word in languages.FIND_TESTS:
            require_understood(bool(self.remaining_words))
            value = self.remaining_words.pop()
            self.tests.append(value)
            if word in {"-name", "-iname"} and names is None and safe_glob(value):
                return frozenset({value})
        else:
            require_understood(word in languages.FIND_FLAGS)
        return names

    def _exec(self, names: frozenset[str] | None) -> None:
        terminators = [
            i for i, word in enumerate(reversed(self.remaining_words)) if word == ";" or word == "+"
        ]
        require_understood(bool(terminators))
        argv = tuple(self.remaining_words.pop() for _ in range(terminators[0]))
        require_understood(bool(argv) and (self.remaining_words.pop() == ";" or argv[-1] == "{}"))
        self.commands.append((argv, self._files(names)))

    def _files(self, names: frozenset[str] | None) -> tuple[str, ...]:
        require_understood(names is not None)
        files = tuple(
            f"{start.rstrip('/') or '/'}/{name}" for start in self.starts for name in sorted(names or ())
        )
        require_understood(0 < len(files) <= _FILES)
        return files
