"""Files that a tool loads, or an agent obeys, by their names: the lists of `edits.json`."""

from __future__ import annotations

import json
import re
import unicodedata
from fnmatch import translate
from functools import lru_cache
from importlib.resources import files as resources

LISTS: dict[str, list[str]] = json.loads(
    resources("askback.domain.policy").joinpath("edits.json").read_text("utf-8")
)
_TEMPLATES = frozenset(LISTS["template_endings"])


def loaded(path: str) -> bool:
    """Tell whether a tool loads a file, or an agent obeys it, by its name."""
    compared = [fold(name) for name in path.split("/") if name not in {"", ".", ".."}]
    return bool(compared) and by_name(compared)


def fold(name: str) -> str:
    """Return a name as a file system may compare it that ignores case and variants of letters."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def by_name(compared: list[str]) -> bool:
    """Tell whether a path, by its folded names, is in the lists; also as a template of one that is."""
    last = compared[-1]
    while True:
        whole = [*compared[:-1], last]
        if any(matcher("names").match("/".join(whole[at:])) for at in range(len(whole))):
            return True
        if matcher("root").match("/".join(whole)):
            return True
        stem, dot, ending = last.rpartition(".")
        if not dot or ending not in _TEMPLATES:
            return False
        last = stem


@lru_cache(maxsize=3)
def matcher(which: str) -> re.Pattern[str]:
    """Return the pattern of a list: `folders`, `names`, or the `root` names that count in a root only."""
    globs = LISTS["folders" if which == "folders" else "names"]
    if which == "root":
        globs = [glob[1:] for glob in globs if glob.startswith("/")]
    elif which == "names":
        globs = [glob for glob in globs if not glob.startswith("/")]
    return re.compile("|".join(map(translate, globs)))
