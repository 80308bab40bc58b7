"""Tools of known agents that read: which keys of their input are paths, patterns of names, and neither.

Sources: the tool schemas of Claude Code, Codex, Gemini CLI, Cursor, Cline, Roo Code, VS Code, opencode, Zed, Windsurf.
A key that is not here counts as a path.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from askback.domain.policy.files import folded, is_path
from askback.domain.policy.wordlist import words

SEARCH_TOOLS = words("grep grep_search grep_files search_files search_file_content")
"""Tools that search the contents of the files below a folder."""

_PATHS = words(
    """
    absolutepath directory directories directorypath dir dirpath folder folderpath root searchpath searchdirectory
    targetdirectory targetdirectories relativeworkspacepath relativepath cwd workdir pathtosearch
    """
)
_PATTERNS = words("pattern query regex regexp search searchterm searchpattern text")
_FILTERS = words(
    "glob include includes includepattern includepatterns filepattern globpattern fileglob globs"
)
_TYPES = words("type filetype")
_NEUTRAL = words(
    """
    offset limit startline endline startlineonebasedinclusive endlineonebasedinclusive shouldreadentirefile linerange
    outputmode headlimit multiline casesensitive caseinsensitive isregexp ignorecase context a b c n i fixedstrings
    recursive depth maxdepth maxresults explanation description reason exclude excludes excludepattern
    respectgitignore respectgitignoredirs filefilteringoptions usedefaultexcludes useglob ignore sort mode pages
    requiresapproval summary toolcallid indentation taskprogress securityrisk viewrange
    """
)


def other_texts(tool: str, given: Mapping[str, Any]) -> list[str]:
    """Return every text of an input that is no path by its key, and may be one or a pattern of paths all the same."""
    skipped = _NEUTRAL | (_PATTERNS | _TYPES if tool in SEARCH_TOOLS else frozenset[str]())
    return [
        text
        for name, value in given.items()
        if not _names_path(name) and folded(name) not in skipped
        for text in _texts(value)
    ]


def folders(given: Mapping[str, Any]) -> list[str]:
    """Return the paths in which a search begins; none means the folder of the call."""
    return [text for name, value in given.items() if _names_path(name) for text in _texts(value) if text]


def _names_path(name: str) -> bool:
    return is_path(name) or folded(name) in _PATHS


def filters(given: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Return the patterns of names, and the types, to which a search is bound."""
    globs = [
        text for name, value in given.items() if folded(name) in _FILTERS for text in _texts(value) if text
    ]
    types = [
        text for name, value in given.items() if folded(name) in _TYPES for text in _texts(value) if text
    ]
    return globs, types


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for member in cast("Mapping[object, object]", value).values():
            yield from _texts(member)
    elif isinstance(value, list | tuple):
        for item in cast("list[object]", value):
            yield from _texts(item)
