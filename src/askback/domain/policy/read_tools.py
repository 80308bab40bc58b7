"""Read-only tools of known agents: which keys of their input are paths, name patterns, or neither.

Sources: the tool schemas of Claude Code, Codex, Gemini CLI, Cursor, Cline, Roo Code, VS Code, opencode, Zed,
Windsurf. A key that is not listed counts as a path.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from askback.domain.policy.files import fold_key, is_path_key, texts_in

SEARCH_TOOLS = frozenset("grep grep_search grep_files search_files search_file_content".split())
"""Tools that search the contents of the files below a folder."""

MANY_READERS = frozenset({"read_many_files"})
"""Tools that read every file that a pattern matches, and every file below a folder."""

_PATHS = frozenset(
    """
    absolutepath directory directories directorypath dir dirpath folder folderpath root searchpath searchdirectory
    targetdirectory targetdirectories relativeworkspacepath relativepath cwd workdir pathtosearch
    """.split()
)
_PATTERNS = frozenset("pattern query regex regexp search searchterm searchpattern text".split())
_FILTERS = frozenset(
    "glob include includes includepattern includepatterns filepattern globpattern fileglob globs".split()
)
_TYPES = frozenset("type filetype".split())
_NEUTRAL = frozenset(
    """
    offset limit startline endline startlineonebasedinclusive endlineonebasedinclusive shouldreadentirefile linerange
    outputmode headlimit multiline casesensitive caseinsensitive isregexp ignorecase context a b c n i fixedstrings
    recursive depth maxdepth maxresults explanation description reason exclude excludes excludepattern
    respectgitignore respectgitignoredirs filefilteringoptions usedefaultexcludes useglob ignore sort mode pages
    requiresapproval summary toolcallid indentation taskprogress securityrisk viewrange
    """.split()
)
_NEUTRAL_IN_SEARCHES = _NEUTRAL | _PATTERNS | _TYPES


def other_texts(tool: str, arguments: Mapping[str, Any]) -> list[str]:
    """Return the texts of an input whose keys hold no paths, but which may be paths or path patterns."""
    neutral_keys = _NEUTRAL_IN_SEARCHES if tool in SEARCH_TOOLS else _NEUTRAL
    return [
        text
        for name, value in arguments.items()
        if not _names_path(name) and fold_key(name) not in neutral_keys
        for text in texts_in(value)
    ]


def search_folders(arguments: Mapping[str, Any]) -> list[str]:
    """Return the paths where a search begins; empty for the folder of the call."""
    return [
        text for name, value in arguments.items() if _names_path(name) for text in texts_in(value) if text
    ]


def _names_path(name: str) -> bool:
    return is_path_key(name) or fold_key(name) in _PATHS


def name_filters(arguments: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Return the name patterns and file types that limit a search."""
    globs = [
        text
        for name, value in arguments.items()
        if fold_key(name) in _FILTERS
        for text in texts_in(value)
        if text
    ]
    types = [
        text
        for name, value in arguments.items()
        if fold_key(name) in _TYPES
        for text in texts_in(value)
        if text
    ]
    return globs, types
