"""What the mode `accept_edits` accepts: one file of source or document, judged by its path alone.

The lists are in `edits.json`. Compared is what a file system may make of a name that ignores case, drops dots and
blanks at an end, or knows streams and short names: such a spelling is asked, whatever it stands for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from askback.domain.policy import patches
from askback.domain.policy.files import PATH_MAX, folded, is_path
from askback.domain.policy.loaded import LISTS, by_name, fold, matcher
from askback.domain.policy.reach import Reach, below, normal
from askback.domain.policy.reasons import Reason
from askback.domain.policy.shell.characters import suspicious
from askback.domain.policy.wordlist import words

_SOURCES = frozenset(LISTS["source_endings"]) | frozenset(LISTS["document_endings"])
_DATA = frozenset(LISTS["data_endings"])
FILE_ENDINGS = (_SOURCES | _DATA | frozenset(LISTS["inner_endings"])) - {"d", "app"}
"""Endings that files have and folders seldom: `conf.d` and `v1.2` may be folders."""
_DATA_FOLDERS = frozenset(LISTS["data_folders"])
_TEMPLATES = frozenset(LISTS["template_endings"])
_INNER = frozenset(LISTS["inner_endings"])

_ODD = re.compile(r"""[\x00-\x1f\x7f\\:*?"<>|`;&^{}]|\$[A-Z_(]|%[0-9A-Fa-f]{2}|%[A-Za-z_]+%|~""")
_PUNCTUATION = frozenset("/\\:")
_CONTENTS = words(
    """
    content contents text filetext newtext oldtext newstring oldstring newstr oldstr inserttext insertline code
    codeedit search replace replacement old new edits replaceall count expectedreplacements line lines linecount
    startline endline viewrange newsource source cellid cellnumber cellidx cellindex celltype celllanguage language
    editmode encoding isnewcell description explanation instruction instructions reason summary taskprogress
    toolcallid requiresapproval securityrisk replacements useregex regex ignorecase modifiedbyuser aiproposedcontent
    allowmultiple changes newcode displaydescription codecontent emptyfile codemarkdownlanguage replacementchunks
    targetcontent replacementcontent targetlinterrorids complexity
    """
)
"""Keys of what is put into a file, where in it, or what is said about it. What another key does, nobody knows."""
_PATCHES = words("patch patchtext diff input")
_ACTIONS = words("create str_replace insert append write overwrite strreplace edit replace")
_CHOICES = {
    "editmode": words("replace insert"),
    "edittype": words("edit insert"),
    "mode": words("edit create overwrite"),
    "celltype": words("code markdown raw"),
}
_LISTED = words("edits replacements")
"""Lists of edits of which each may name its own file."""


def objection(given: Mapping[str, Any], reach: Reach) -> Reason | None:
    """Say why an input of a file tool is asked; None when it only writes files that this mode accepts."""
    found = _files(given)
    if not found or not all(found):
        return Reason("edit_and_more")
    return next(filter(None, (file_objection(path, reach) for path in found)), None)


def file_objection(path: str, reach: Reach) -> Reason | None:
    """Say why edits to a file are asked; None for a source or document below a root that nothing loads or obeys."""
    names = _below_root(path, reach)
    if not names:
        outside = not _odd(path) and not reach.inside(path)
        return Reason("edit_outside" if outside else "edit_odd_path", path=path)
    if reach.secret(path):
        return Reason("edit_secret", path=path)
    if _steering(names) or any(name.startswith(".") for name in names):
        return Reason("edit_steers", path=path)
    return None if _by_ending([fold(name) for name in names]) else Reason("edit_ending", path=path)


def steering(path: str) -> bool:
    """Tell whether a file configures, builds, starts or instructs something: by its name, or that of a folder.

    A pattern of a rule does not reach such a file; a rule that names it does.
    """
    names = [name for name in path.replace("\\", "/").split("/") if name not in {"", ".", ".."}]
    hidden = (name.startswith(".") for name in names)
    return any(hidden) or bool(_ODD.search(path)) or _steering(names)


def _below_root(path: str, reach: Reach) -> list[str] | None:
    """Return the names of a path below the outermost root that holds it; None when it is odd or outside."""
    if _odd(path):
        return None
    found = reach.resolve(path)
    if found is None or not reach.inside(path):
        return None
    if found.startswith("/"):
        root = min((normal(root) for root in reach.roots if below(found, root)), key=len)
        found = found[len(root.rstrip("/")) :]
    return [name for name in found.split("/") if name]


def _odd(path: str) -> bool:
    """Tell whether a path is empty, too long, or may stand for another one."""
    if not path or len(path) > PATH_MAX or _ODD.search(path) or suspicious(path) or path.startswith("//"):
        return True
    return any(_odd_name(name) for name in path.split("/")) or path.endswith("/")


def _odd_name(name: str) -> bool:
    """Tell whether a name goes up, is read as an option, or would be another one where dots and blanks are dropped."""
    if name in {"", "."}:
        return False
    plain = fold(name)
    if name == ".." or name[0] in " -" or name[-1] in " ." or name != name.strip():
        return True
    return plain != name.casefold() and (
        plain[0] in ". -" or plain[-1] in " ." or bool(_PUNCTUATION & set(plain))
    )


def _steering(names: Sequence[str]) -> bool:
    compared = [fold(name) for name in names]
    if not compared:
        return True
    return any(matcher("folders").match(name) for name in compared[:-1]) or by_name(compared)


def _by_ending(compared: list[str]) -> bool:
    stem, dot, ending = compared[-1].rpartition(".")
    if not dot or not stem:
        return False
    inner = stem.rpartition(".")[2] if ending in _TEMPLATES else ""
    if inner in _INNER:
        return False
    if ending in _SOURCES:
        return True
    return ending in _DATA and any(name in _DATA_FOLDERS for name in compared[:-1])


def _files(given: Mapping[str, Any]) -> list[str] | None:
    """Return the files that an input writes; None when it may do more than that."""
    places: list[str] = []
    patched: list[str] = []
    for name, value in given.items():
        key = folded(name)
        if is_path(name):
            if not isinstance(value, str):
                return None
            places.append(value)
        elif key in _PATCHES and isinstance(value, str):
            found = _patched(key, value, alone=not any(map(is_path, given)))
            if found is None:
                return None
            patched += found
        elif key in _LISTED and (listed := _each(value)):
            patched += listed
        elif not _plain(name, value):
            return None
    if len(places) > 1 or (places and any(normal(path) != normal(places[0]) for path in patched)):
        return None
    return places or patched


def _each(value: object) -> list[str] | None:
    """Return the files of a list of edits that name one each, with nothing but contents beside it."""
    members = cast("list[object]", value) if isinstance(value, list) else []
    found = [_file(cast("Mapping[str, object]", each)) for each in members if isinstance(each, Mapping)]
    named = [path for path in found if path is not None]
    return named if len(named) == len(members) else None


def _file(edit: Mapping[str, object]) -> str | None:
    path = [value for name, value in edit.items() if is_path(name)]
    plain = all(_plain(name, value) for name, value in edit.items() if not is_path(name))
    return path[0] if plain and len(path) == 1 and isinstance(path[0], str) else None


def _patched(key: str, text: str, *, alone: bool) -> list[str] | None:
    """Return the files of a patch. Beside a path, a `diff` of search and replacement names none."""
    if not alone and key == "diff" and patches.replaces(text):
        return []
    return patches.files(text)


def _plain(name: str, value: object) -> bool:
    """Tell whether a key and its value are contents, or say nothing about which file is written and how."""
    key = folded(name)
    if value is None or value is False:
        return key in _CONTENTS or key == "append"
    if key in _CHOICES:
        return isinstance(value, str) and value in _CHOICES[key]
    if key == "command":
        return isinstance(value, str) and value in _ACTIONS
    if key not in _CONTENTS:
        return key == "append" and value is True
    return _only_contents(value)


def _only_contents(value: object) -> bool:
    if isinstance(value, Mapping):
        return all(_plain(name, member) for name, member in cast("Mapping[str, object]", value).items())
    if isinstance(value, list | tuple):
        return all(_only_contents(item) for item in cast("list[object]", value))
    return True
