"""Finds the paths in the input of a file tool, and the keys that hold neither paths nor contents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, cast

from askback.domain.policy.reasons import Reason

MAX_PATH_LENGTH = 4096
"""The longest path that an operating system accepts; of a longer text only the end is checked."""

MAX_PATHS = 1_000
"""The maximum number of texts of one input that are checked as paths."""

_PATH_KEYS = frozenset(
    (
        "path paths file files filename filenames filepath filepaths notebookpath targetfile targetpath"
        " absolutepath targetnotebook"
    ).split()
)
_CONTENTS = frozenset(
    """
    content contents text filetext newtext oldtext newstring oldstring newstr oldstr inserttext insertline codeedit
    search replace replacement old new edits replaceall count expectedreplacements line lines startline endline
    viewrange newsource cellid cellnumber celltype editmode append overwrite encoding
    description explanation instruction instructions comment reason changes newcode codecontent replacementchunks
    targetcontent replacementcontent
    """.split()
)
"""Keys that hold contents of a file, positions in it, or explanations. A file tool may do anything with other keys."""

_PATCHED = re.compile(
    r"^(?:\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: |\+\+\+ |--- |(?:rename|copy) (?:from|to) )([^\t\n]+)",
    re.MULTILINE,
)


def fold_key(name: str) -> str:
    """Normalize a key for comparison: `filePath`, `file-path` and `file_path` are equal."""
    return name.casefold().replace("_", "").replace("-", "")


def is_path_key(name: str) -> bool:
    """Return whether a key holds a path."""
    return fold_key(name) in _PATH_KEYS


def names_file(arguments: Mapping[str, Any]) -> bool:
    """Return whether an input has a path, or a patch that names its files."""
    return any(is_path_key(name) or fold_key(name) in {"patch", "patchtext"} for name in arguments)


def path_key(arguments: Mapping[str, Any]) -> str | None:
    """Return the key of an input that holds its path; None if there is none, or more than one."""
    keys = [name for name in arguments if is_path_key(name)]
    return keys[0] if len(keys) == 1 else None


def other_keys(arguments: Mapping[str, Any]) -> frozenset[str]:
    """Return the keys that hold no contents, including those of paths; nested keys as dotted ways."""
    return frozenset(_other_keys_in(arguments, ""))


def _other_keys_in(value: object, path: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, member in cast("Mapping[str, object]", value).items():
            if fold_key(name) in _CONTENTS:
                yield from _other_keys_in(member, f"{path}{name}.")
            else:
                yield f"{path}{name}"
    elif isinstance(value, list | tuple):
        for item in cast("list[object]", value):
            yield from _other_keys_in(item, path or ".")


def possible_paths(arguments: Mapping[str, Any]) -> Iterator[str]:
    """Return every text that may be a path: all except contents, and the files that a patch names.

    Stops after the first text beyond the limit.
    """
    yield from islice(_paths_of_members(arguments, ""), MAX_PATHS + 1)


def _paths_of_members(value: object, name: str) -> Iterator[str]:
    if isinstance(value, str):
        if fold_key(name) not in _CONTENTS:
            yield from _paths_in(value, name)
    elif isinstance(value, Mapping):
        # Inside contents too: `{"edits": [{"path": …}]}` names a file.
        for key, member in cast("Mapping[str, object]", value).items():
            yield from _paths_of_members(member, key)
    elif isinstance(value, list | tuple):
        for item in cast("list[object]", value):
            yield from _paths_of_members(item, name)


def _paths_in(text: str, name: str) -> Iterator[str]:
    patched = [match[1].rstrip() for match in islice(_PATCHED.finditer(text), MAX_PATHS + 1)]
    if is_path_key(name) or not (patched or "\n" in text):
        yield text[-MAX_PATH_LENGTH - 1 :]
    yield from patched


def path_values(value: object) -> Iterator[str]:
    """Return the texts below keys that hold paths."""
    yield from islice(_paths_of_value(value), MAX_PATHS + 1)


def _paths_of_value(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, member in cast("Mapping[str, object]", value).items():
            yield from _paths_of_members(member, name) if is_path_key(name) else _paths_of_value(member)
    elif isinstance(value, list | tuple):
        for item in cast("list[object]", value):
            yield from _paths_of_value(item)


def why_ambiguous(known_paths: Sequence[str], other_texts: Iterable[str]) -> Reason | None:
    """Return why it is not certain which file a file tool works on; None if it is."""
    if not known_paths:
        return Reason("no_file")
    if len(known_paths) > MAX_PATHS:
        return Reason("too_many_files", max=str(MAX_PATHS))
    if any(len(path) > MAX_PATH_LENGTH for path in known_paths):
        return Reason("path_too_long", max=str(MAX_PATH_LENGTH))
    if sum(is_path_key(name.rpartition(".")[2]) for name in other_texts) > 1:
        return Reason("several_files")
    return None


def texts_in(value: object) -> Iterator[str]:
    """Yield every text of a JSON value, at any depth."""
    return (leaf for leaf in leaves(value) if isinstance(leaf, str))


def leaves(value: object) -> Iterator[object]:
    """Yield every value without members of a JSON value, at any depth."""
    if isinstance(value, Mapping):
        for member in cast("Mapping[object, object]", value).values():
            yield from leaves(member)
    elif isinstance(value, list | tuple):
        for item in cast("list[object]", value):
            yield from leaves(item)
    else:
        yield value
