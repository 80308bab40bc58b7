"""Name filters of searches (`--include=*.py`, `-g '*.ts'`, `-t py`): whether they exclude all secret files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache

from askback.domain.policy import paths

_WILDCARD = re.compile(r"[*?\[{]")
_SUFFIX = re.compile(r"\.[A-Za-z0-9][A-Za-z0-9_+]*\Z")
_BRACES = re.compile(r"\{([^{}]*)\}")
_PARTS = re.compile(r"(?:\{[^{}]*\}|[^\s,{}])+")
_MAX_ALTERNATIVES, _MAX_LENGTH = 64, 500
_TYPES = frozenset(
    """
    ada agda asciidoc asm awk bat c clojure cmake coffeescript cpp creole crystal cs csharp css cuda cython d dart
    elixir elm erb erlang fidl fish fortran fsharp gleam go graphql groovy h haml handlebars haskell hs html idris
    java jinja jl js julia jupyter kotlin less lisp lua m4 make markdown mako matlab md mint ml nim objc objcpp
    ocaml org pascal perl php po postscript prolog protobuf ps py python qml r racket raku rdoc robot rst ruby rust
    sass scala sh slim sml solidity spark sql stylus sv svg svelte swift swig systemverilog tcl tex textile thrift
    toc ts twig txt typescript typoscript vala vb vhdl vim vimscript vue wgsl webidl zig zsh
    """.split()
)
"""File types of ripgrep that match no secret file."""


def safe_type(name: str) -> bool:
    """Return whether a file type of ripgrep matches no secret file."""
    return name.casefold() in _TYPES


@lru_cache(maxsize=1024)
def safe_glob(glob: str) -> bool:
    """Return whether a pattern matches no secret file: it names one file, or has a harmless extension."""
    if len(glob) > _MAX_LENGTH:
        return False
    alternatives = list(_alternatives(glob.replace("\\", "/")))
    return 0 < len(alternatives) <= _MAX_ALTERNATIVES and all(map(_safe, alternatives))


def safe_globs(text: str) -> bool:
    """Return whether patterns, separated by blanks or commas, match no secret file; exclusions are ignored."""
    if len(text) > _MAX_LENGTH:
        return False
    globs = [glob for glob in _PARTS.findall(text) if not glob.startswith("!")]
    return bool(globs) and "".join(text.split()) != "" and all(map(safe_glob, globs))


def _safe(glob: str) -> bool:
    name = glob.rpartition("/")[2].casefold()
    if glob.startswith("!") or paths.is_secret_path(glob):
        return False
    if not _WILDCARD.search(name):
        return name not in {"", ".", ".."}
    return bool(_SUFFIX.search(name)) and not any(fnmatchcase(secret, name) for secret in _secrets())


def _alternatives(glob: str) -> Iterator[str]:
    """Expand `{a,b}`, up to one alternative beyond the limit; return nothing if braces do not match."""
    unexpanded = [glob]
    for _ in range(_MAX_ALTERNATIVES * 2):
        if not unexpanded:
            return
        text = unexpanded.pop()
        braces = _BRACES.search(text)
        if braces:
            unexpanded += [
                text[: braces.start()] + part + text[braces.end() :] for part in braces[1].split(",")
            ]
        elif "{" in text or "}" in text:
            yield "*"
        else:
            yield text
    yield "*"


@lru_cache(maxsize=1)
def _secrets() -> frozenset[str]:
    return paths.secret_path_examples()


@dataclass(slots=True)
class NameFilter:
    """The name filters among the options of a search command, in their order."""

    globs: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def add(self, kind: str, glob: str) -> None:
        """Add an `include`, `exclude` or `exclude-dir`."""
        self.globs.append((kind, glob.casefold()))

    @property
    def is_harmless(self) -> bool:
        """Whether every included name is harmless."""
        kinds = [kind for kind, _ in self.globs if kind != "exclude-dir"]
        # If the first filter of grep excludes, files that match no filter are searched.
        included_globs = [glob for kind, glob in self.globs if kind == "include"]
        return bool(included_globs) and kinds[0] == "include" and all(map(safe_glob, included_globs))

    @property
    def skips_hidden(self) -> bool:
        """Whether hidden files and folders are skipped."""
        folders = {glob for kind, glob in self.globs if kind == "exclude-dir"}
        files = {glob for kind, glob in self.globs if kind == "exclude"}
        has_include = any(kind == "include" for kind, _ in self.globs)
        return (
            not has_include
            and bool({".*", ".?*", ".[!.]*"} & folders)
            and bool({".*", ".?*", ".[!.]*"} & files)
        )
