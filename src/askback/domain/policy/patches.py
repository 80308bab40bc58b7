"""Parses patches strictly: the files that they change.

A patch with anything else in it is not understood.
"""

from __future__ import annotations

import re

_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_CODEX = re.compile(r"\*\*\* (?P<what>Add|Update|Delete) File: (?P<path>.+)")
_PLAIN_CODEX = frozenset({_BEGIN, _END, "*** End of File"})
_GIT = re.compile(r"diff --git a/(?P<old>\S+) b/(?P<new>\S+)")
_INDEX = re.compile(r"index [0-9a-f]+\.\.[0-9a-f]+(?: 100644)?")
_HUNK = re.compile(r"@@(?: .*)?")
_REPLACES = re.compile(r"(?:-{3,}|<{3,}) ?SEARCH")
_NO_FILE = "/dev/null"


def is_search_replace(text: str) -> bool:
    """Return whether a text consists of search and replacement blocks, as Cline and Roo Code write them."""
    first_lines = text.lstrip().splitlines()[:1]
    return bool(first_lines) and bool(_REPLACES.match(first_lines[0])) and "*** " not in text


def patched_files(text: str) -> list[str] | None:
    """Return the files that a patch changes or adds; None if it does anything else, or is not understood.

    Not accepted: files that are moved, deleted, linked or made executable, and any line that neither patch format has.
    """
    lines = text.strip("\n").splitlines()
    if not lines or len(lines) != len(text.strip("\n").split("\n")):
        return None
    return _codex_files(lines) if lines[0].strip() == _BEGIN else _unified_files(lines)


def _codex_files(lines: list[str]) -> list[str] | None:
    files: list[str] = []
    if lines[-1].strip() != _END:
        return None
    for line in lines:
        header = line.lstrip(" \t+-")
        if header.startswith("*** "):
            named = _CODEX.fullmatch(line)
            if named and named["what"] != "Delete":
                files.append(named["path"])
            elif line not in _PLAIN_CODEX:
                return None
        elif line and line[0] not in " +-@":
            return None
    return files


def _unified_files(lines: list[str]) -> list[str] | None:
    files: list[str] = []
    old_path: str | None = None
    for line in lines:
        git = _GIT.fullmatch(line)
        if git:
            if git["old"] != git["new"]:
                return None
            files.append(git["new"])
        elif line.startswith("--- "):
            old_path = _side_path(line, "a/")
        elif line.startswith("+++ "):
            new_path = _side_path(line, "b/")
            if (
                new_path is None
                or new_path == _NO_FILE
                or old_path is None
                or old_path not in {new_path, _NO_FILE}
            ):
                return None
            files.append(new_path)
            old_path = None
        elif not _is_known_line(line):
            return None
    return list(dict.fromkeys(files))


def _side_path(line: str, prefix: str) -> str | None:
    """Return the path of one side; None without git's prefix, because it is unclear how much to strip."""
    path = line[4:].partition("\t")[0]
    return path if path == _NO_FILE else path.removeprefix(prefix) if path.startswith(prefix) else None


def _is_known_line(line: str) -> bool:
    if line == "" or line[0] in " +-":
        return True
    return (
        line == "new file mode 100644"
        or bool(_INDEX.fullmatch(line) or _HUNK.fullmatch(line))
        or line.startswith("\\ ")
    )
