"""Commands that open or pack whatever is below a folder, and so may reach a secret file that nobody named."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from itertools import pairwise

from askback.domain.policy import edits, operands
from askback.domain.policy.filters import NameFilter, safe_glob, safe_type
from askback.domain.policy.reach import Reach
from askback.domain.policy.shell.lexer import Argv
from askback.domain.policy.shell.programs import basename
from askback.domain.policy.wordlist import words

_GREPS = words("grep egrep fgrep rgrep zgrep")
_SHOWS_NAMES = ("files", "type-list", "version", "help")
_PLAIN_FILES = words(
    """
    makefile dockerfile license licence readme changelog authors notice copying todo version gemfile rakefile procfile
    vagrantfile jenkinsfile justfile codeowners contributors install news
    """
)


@dataclass(slots=True)
class Search:
    """A command that searches folders: where it begins, and what it leaves out.

    Without `targets` it begins in the folder of the call. `skips_hidden` is what ripgrep does by itself.
    """

    targets: list[str]
    names: NameFilter = field(default_factory=NameFilter)
    globs: list[str] = field(default_factory=list[str])
    types: list[str] = field(default_factory=list[str])
    skips_hidden: bool = False
    tracked: bool = False

    def harmless(self, reach: Reach) -> bool:
        """Tell whether it can open no secret file, by its own filters or by what the adapter found."""
        targets = self.targets or ["."]
        return self._filtered or all(plain_file(target) or reach.no_secrets(target) for target in targets)

    def quiet(self, reach: Reach) -> bool:
        """Tell whether it skips what is hidden, below folders of which each is named."""
        return self.skips_hidden and all(
            plain_file(target) or reach.named(target) for target in self.targets or ["."]
        )

    def named(self, reach: Reach) -> bool:
        """Tell whether it begins at folders of which each is named; see `Reach.named`."""
        return self.tracked or all(
            plain_file(target) or reach.named(target) for target in self.targets or ["."]
        )

    @property
    def _filtered(self) -> bool:
        if self.globs:
            # What a pattern of ripgrep includes is searched although it is hidden or of another type.
            return all(map(safe_glob, self.globs))
        return self.names.only_harmless or (bool(self.types) and all(map(safe_type, self.types)))


def search(argv: Argv, *, piped: bool = False) -> Search | None:
    """Return how a command searches folders; None when it opens only files that it names.

    `piped`: it gets the output of another command, which ripgrep then reads in place of the folder.
    """
    name = basename(argv[0])
    if name in _GREPS:
        return _grep(argv, name)
    if name == "rg":
        return _rg(argv, piped=piped)
    if name == "diff":
        return _diff(argv)
    if name in {"tar", "zip"}:
        return _pack(argv, name)
    return _git_grep(argv) if name == "git" and argv[1:2] == ("grep",) else None


def plain_file(path: str) -> bool:
    """Tell whether a path looks like a file rather than a folder: by its ending, or a name that files have."""
    last = path.rpartition("/")[2]
    stem, dot, ending = last.rpartition(".")
    if not dot:
        return last.casefold() in _PLAIN_FILES
    return bool(stem.strip(".")) and ending.casefold() in edits.FILE_ENDINGS


def _grep(argv: Argv, name: str) -> Search | None:
    given = operands.read(argv)
    if name != "rgrep" and not any(_recurses(option, value) for option, value in given.options):
        return None
    found = Search(operands.files(argv))
    for option, value in given.options:
        if option in {"include", "exclude", "exclude-dir"}:
            found.names.add(option, value)
    found.skips_hidden = found.names.skips_hidden
    return found


def _recurses(option: str, value: str) -> bool:
    if option in {"d", "directories"} or (len(option) > 1 and "directories".startswith(option)):
        return value.startswith("rec") or not value
    return option in {"r", "R"} or (
        len(option) > 1 and ("recursive".startswith(option) or "dereference-recursive".startswith(option))
    )


def _rg(argv: Argv, *, piped: bool) -> Search | None:
    given, targets = operands.read(argv), operands.files(argv)
    if given.has(*_SHOWS_NAMES) or (piped and not targets):
        return None
    found = Search(targets, skips_hidden=not any(map(_shows_hidden, given.options)))
    for option, value in given.options:
        if option in {"t", "type"}:
            found.types.append(value)
        elif option in {"g", "glob", "iglob"} and not value.startswith("!"):
            found.globs.append(value)
    if found.globs:
        found.skips_hidden = False
    return found


def _shows_hidden(option: tuple[str, str]) -> bool:
    name = option[0]
    return name in {"u", "."} or (len(name) > 1 and name.startswith(("hid", "no-ig", "unr")))


def _diff(argv: Argv) -> Search | None:
    targets = operands.files(argv)
    return None if targets and all(map(plain_file, targets)) else Search(targets)


def _pack(argv: Argv, name: str) -> Search | None:
    """Return what an archive is made of: whole folders, which may have a secret file in them."""
    recurses = any(word.startswith("-") and "r" in word for word in argv) if name == "zip" else "c" in argv[1]
    if not recurses:
        return None
    folder, targets = "", list[str]()
    for before, word in pairwise(argv[2:]):
        if before in {"-C", "--directory"}:
            folder = posixpath.join(folder, word)
        elif not word.startswith("-"):
            targets.append(posixpath.join(folder, word))
    return Search(targets)


def _git_grep(argv: Argv) -> Search:
    rest = argv[2:]
    specs = rest[rest.index("--") + 1 :] if "--" in rest else ()
    # Of a path without wildcards it may be a folder; behind `:` stands magic, such as what is left out.
    plain = all(not spec.startswith(":") and (plain_file(spec) or "*" in spec) for spec in specs)
    return Search(["."], globs=list(specs) if plain else [], tracked=True)
