"""Commands that open or pack everything below a folder, and so may reach a secret file that nobody named."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from itertools import pairwise

from askback.domain.policy import edits, operands
from askback.domain.policy.filters import NameFilter, safe_glob, safe_type
from askback.domain.policy.read_scope import ReadScope
from askback.domain.policy.shell.lexer import Argv
from askback.domain.policy.shell.programs import basename

_GREPS = frozenset("grep egrep fgrep rgrep zgrep".split())
_SHOWS_NAMES = ("files", "type-list", "version", "help")
_PLAIN_FILES = frozenset(
    """
    makefile dockerfile license licence readme changelog authors notice copying todo version gemfile rakefile procfile
    vagrantfile jenkinsfile justfile codeowners contributors install news
    """.split()
)


@dataclass(slots=True)
class FolderSearch:
    """A command that searches folders: where it begins, and what it skips.

    Without `targets` it begins in the folder of the call. `skips_hidden` is the default of ripgrep.
    """

    targets: list[str]
    names: NameFilter = field(default_factory=NameFilter)
    globs: list[str] = field(default_factory=list[str])
    types: list[str] = field(default_factory=list[str])
    skips_hidden: bool = False
    tracked: bool = False

    def is_harmless(self, read_scope: ReadScope) -> bool:
        """Return whether it opens no secret file, because of its filters or of facts from the adapter."""
        targets = self.targets or ["."]
        return self._is_filtered or all(
            looks_like_file(target) or read_scope.is_secret_free(target) for target in targets
        )

    def avoids_hidden(self, read_scope: ReadScope) -> bool:
        """Return whether it skips hidden files and begins in specific folders; see `ReadScope.is_named_folder`."""
        return self.skips_hidden and all(
            looks_like_file(target) or read_scope.is_named_folder(target) for target in self.targets or ["."]
        )

    def has_named_folders(self, read_scope: ReadScope) -> bool:
        """Return whether it begins in specific folders only; see `ReadScope.is_named_folder`."""
        return self.tracked or all(
            looks_like_file(target) or read_scope.is_named_folder(target) for target in self.targets or ["."]
        )

    @property
    def _is_filtered(self) -> bool:
        if self.globs:
            # ripgrep searches files that an include pattern matches even if they are hidden or of another type.
            return all(map(safe_glob, self.globs))
        return self.names.is_harmless or (bool(self.types) and all(map(safe_type, self.types)))


def folder_search(argv: Argv, *, piped: bool = False) -> FolderSearch | None:
    """Return how a command searches folders; None when it opens only files that it names.

    `piped`: it gets the output of another command, which ripgrep then reads in place of the folder.
    """
    name = basename(argv[0])
    if name in _GREPS:
        return _grep_search(argv, name)
    if name == "rg":
        return _rg_search(argv, piped=piped)
    if name == "diff":
        return _diff_search(argv)
    if name in {"tar", "zip"}:
        return _archive_search(argv, name)
    return _git_grep_search(argv) if name == "git" and argv[1:2] == ("grep",) else None


def looks_like_file(path: str) -> bool:
    """Return whether a path looks like a file and not a folder: by its extension, or by a typical file name."""
    base_name = path.rpartition("/")[2]
    stem, dot, suffix = base_name.rpartition(".")
    if not dot:
        return base_name.casefold() in _PLAIN_FILES
    return bool(stem.strip(".")) and suffix.casefold() in edits.FILE_ENDINGS


def _grep_search(argv: Argv, name: str) -> FolderSearch | None:
    arguments = operands.parse_arguments(argv)
    if name != "rgrep" and not any(_is_recursive(option, value) for option, value in arguments.options):
        return None
    search = FolderSearch(operands.file_operands(argv))
    for option, value in arguments.options:
        if option in {"include", "exclude", "exclude-dir"}:
            search.names.add(option, value)
    search.skips_hidden = search.names.skips_hidden
    return search


def _is_recursive(option: str, value: str) -> bool:
    if option in {"d", "directories"} or (len(option) > 1 and "directories".startswith(option)):
        return value.startswith("rec") or not value
    return option in {"r", "R"} or (
        len(option) > 1 and ("recursive".startswith(option) or "dereference-recursive".startswith(option))
    )


def _rg_search(argv: Argv, *, piped: bool) -> FolderSearch | None:
    arguments, targets = operands.parse_arguments(argv), operands.file_operands(argv)
    if arguments.has(*_SHOWS_NAMES) or (piped and not targets):
        return None
    search = FolderSearch(targets, skips_hidden=not any(map(_shows_hidden, arguments.options)))
    for option, value in arguments.options:
        if option in {"t", "type"}:
            search.types.append(value)
        elif option in {"g", "glob", "iglob"} and not value.startswith("!"):
            search.globs.append(value)
    if search.globs:
        search.skips_hidden = False
    return search


def _shows_hidden(option: tuple[str, str]) -> bool:
    name = option[0]
    return name in {"u", "."} or (len(name) > 1 and name.startswith(("hid", "no-ig", "unr")))


def _diff_search(argv: Argv) -> FolderSearch | None:
    targets = operands.file_operands(argv)
    return None if targets and all(map(looks_like_file, targets)) else FolderSearch(targets)


def _archive_search(argv: Argv, name: str) -> FolderSearch | None:
    """Return the folders that an archive is made of, which may contain a secret file."""
    recurses = any(word.startswith("-") and "r" in word for word in argv) if name == "zip" else "c" in argv[1]
    if not recurses:
        return None
    folder, targets = "", list[str]()
    for previous_word, word in pairwise(argv[2:]):
        if previous_word in {"-C", "--directory"}:
            folder = posixpath.join(folder, word)
        elif not word.startswith("-"):
            targets.append(posixpath.join(folder, word))
    return FolderSearch(targets)


def _git_grep_search(argv: Argv) -> FolderSearch:
    arguments = argv[2:]
    specs = arguments[arguments.index("--") + 1 :] if "--" in arguments else ()
    # A path without wildcards may be a folder; pathspec magic such as exclusions follows `:`.
    are_files = all(not spec.startswith(":") and (looks_like_file(spec) or "*" in spec) for spec in specs)
    return FolderSearch(["."], globs=list(specs) if are_files else [], tracked=True)
