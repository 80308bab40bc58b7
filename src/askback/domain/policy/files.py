"""Which files a call names, and what of its input is neither a path nor what is put into a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, cast

from askback.domain.policy.reasons import Reason
from askback.domain.policy.wordlist import words

PATH_MAX = 4096
"""The longest path that a system takes; of a longer one only the end is looked at."""

FILES = 1_000
"""The most texts of one input that are looked at as paths."""

_PATH_KEYS = words(
    "path paths file files filename filenames filepath filepaths notebookpath targetfile targetpath"
    " absolutepath targetnotebook"
)
_CONTENTS = words(
    """
    content contents text filetext newtext oldtext newstring oldstring newstr oldstr inserttext insertline codeedit
    search replace replacement old new edits replaceall count expectedreplacements line lines startline endline
    viewrange newsource cellid cellnumber celltype editmode append overwrite encoding
    description explanation instruction instructions comment reason changes newcode codecontent replacementchunks
    targetcontent replacementcontent
    """
)
"""What is put into a file or said about it, and where in it. Under any other name a file tool may get anything."""

_PATCHED = re.compile(
    r"^(?:\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: |\+\+\+ |--- |(?:rename|copy) (?:from|to) )([^\t\n]+)",
    re.MULTILINE,
)


def folded(name: str) -> str:
    """Return a key as it is compared: `filePath`, `file-path` and `file_path` are the same."""
    return name.casefold().replace("_", "").replace("-", "")


def is_path(name: str) -> bool:
    """Tell whether a key is one that holds a path."""
    return folded(name) in _PATH_KEYS


def names_file(given: Mapping[str, Any]) -> bool:
    """Tell whether an input has a path, or a patch, which names its files itself."""
    return any(is_path(name) or folded(name) in {"patch", "patchtext"} for name in given)


def path_name(given: Mapping[str, Any]) -> str | None:
    """Return the key under which an input has its path; None when there is none, or more than one."""
    found = [name for name in given if is_path(name)]
    return found[0] if len(found) == 1 else None


def others(given: Mapping[str, Any]) -> frozenset[str]:
    """Return the keys that hold no contents, paths among them; of those below the first level, the way to them."""
    return frozenset(_others(given, ""))


def _others(value: object, at: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, member in cast("Mapping[str, object]", value).items():
            if folded(name) in _CONTENTS:
                yield from _others(member, f"{at}{name}.")
            else:
                yield f"{at}{name}"
    elif isinstance(value, list | tuple):
        for item in cast("list[object]", value):
            yield from _others(item, at or ".")


def named(given: Mapping[str, Any]) -> Iterator[str]:
    """Go through every text that may be a path: all but contents, and of a patch the files that it names.

    Stops behind the first one that is too much.
    """
    yield from islice(_named(given, ""), FILES + 1)


def _named(value: object, name: str) -> Iterator[str]:
    if isinstance(value, str):
        if folded(name) not in _CONTENTS:
            yield from _paths_in(value, name)
    elif isinstance(value, Mapping):
        # Below contents too: in `{"edits": [{"path": …}]}` a key names a file all the same.
        for key, member in cast("Mapping[str, object]", value).items():
            yield from _named(member, key)
    elif isinstance(value, list | tuple):
        for item in cast("list[object]", value):
            yield from _named(item, name)


def _paths_in(text: str, name: str) -> Iterator[str]:
    patched = [match[1].rstrip() for match in islice(_PATCHED.finditer(text), FILES + 1)]
    if is_path(name) or not (patched or "\n" in text):
        yield text[-PATH_MAX - 1 :]
    yield from patched


def paths(given: object) -> Iterator[str]:
    """Go through the texts below keys that hold paths."""
    yield from islice(_paths(given), FILES + 1)


def _paths(given: object) -> Iterator[str]:
    if isinstance(given, Mapping):
        for name, member in cast("Mapping[str, object]", given).items():
            yield from _named(member, name) if is_path(name) else _paths(member)
    elif isinstance(given, list | tuple):
        for item in cast("list[object]", given):
            yield from _paths(item)


def unsure(places: Sequence[str], others: Iterable[str]) -> Reason | None:
    """Say why it is not certain which file a file tool works on; None when it is. For what it is given, see `Call`."""
    if not places:
        return Reason("no_file")
    if len(places) > FILES:
        return Reason("too_many_files", max=str(FILES))
    if any(len(place) > PATH_MAX for place in places):
        return Reason("path_too_long", max=str(PATH_MAX))
    if sum(is_path(name.rpartition(".")[2]) for name in others) > 1:
        return Reason("several_files")
    return None
