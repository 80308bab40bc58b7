"""Decides which edits the mode `accept_edits` accepts: one source file or document, by its path alone.

The lists are in `edits.json`. Names are compared as file systems may read them: without case, without dots and
blanks at the end, with streams and short names. A name with an ambiguous spelling needs approval.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from askback.domain.policy import patches
from askback.domain.policy.files import MAX_PATH_LENGTH, fold_key, is_path_key
from askback.domain.policy.paths import EDIT_LISTS, fold_name, is_listed_name, name_pattern
from askback.domain.policy.read_scope import ReadScope, is_below, normalize_path
from askback.domain.policy.reasons import Reason
from askback.domain.policy.shell.characters import why_suspicious

_SOURCES = frozenset(EDIT_LISTS["source_endings"]) | frozenset(EDIT_LISTS["document_endings"])
_DATA = frozenset(EDIT_LISTS["data_endings"])
FILE_ENDINGS = (_SOURCES | _DATA | frozenset(EDIT_LISTS["inner_endings"])) - {"d", "app"}
"""Endings that are typical of files and rare for folders: `conf.d` and `v1.2` may be folders."""
_DATA_FOLDERS = frozenset(EDIT_LISTS["data_folders"])
_TEMPLATES = frozenset(EDIT_LISTS["template_endings"])
_INNER = frozenset(EDIT_LISTS["inner_endings"])

_UNUSUAL_CHARACTERS = re.compile(
    r"""[\x00-\x1f\x7f\\:*?"<>|`;&^{}]|\$[A-Z_(]|%[0-9A-Fa-f]{2}|%[A-Za-z_]+%|~"""
)
_PUNCTUATION = frozenset("/\\:")
_CONTENTS = frozenset(
    """
    content contents text filetext newtext oldtext newstring oldstring newstr oldstr inserttext insertline code
    codeedit search replace replacement old new edits replaceall count expectedreplacements line lines linecount
    startline endline viewrange newsource source cellid cellnumber cellidx cellindex celltype celllanguage language
    editmode encoding isnewcell description explanation instruction instructions reason summary taskprogress
    toolcallid requiresapproval securityrisk replacements useregex regex ignorecase modifiedbyuser aiproposedcontent
    allowmultiple changes newcode displaydescription codecontent emptyfile codemarkdownlanguage replacementchunks
    targetcontent replacementcontent targetlinterrorids complexity
    """.split()
)
"""Keys that hold contents of a file, positions in it, or explanations. The effect of any other key is unknown."""
_PATCHES = frozenset("patch patchtext diff input".split())
_ACTIONS = frozenset("create str_replace insert append write overwrite strreplace edit replace".split())
_CHOICES = {
    "editmode": frozenset("replace insert".split()),
    "edittype": frozenset("edit insert".split()),
    "mode": frozenset("edit create overwrite".split()),
    "celltype": frozenset("code markdown raw".split()),
}
_EDIT_LIST_KEYS = frozenset("edits replacements".split())
"""Keys that hold a list of edits, each of which may name its own file."""


def why_not_allowed(arguments: Mapping[str, Any], read_scope: ReadScope) -> Reason | None:
    """Return why a call of a file tool needs approval; None if it only writes files that this mode accepts."""
    files = _written_files(arguments)
    if not files or not all(files):
        return Reason("edit_and_more")
    return next(filter(None, (why_file_not_allowed(path, read_scope) for path in files)), None)


def why_file_not_allowed(path: str, read_scope: ReadScope) -> Reason | None:
    """Return why edits to a file need approval; None for an ordinary source or document below a root."""
    names = _paths_below_root(path, read_scope)
    if not names:
        is_outside = not _is_ambiguous(path) and not read_scope.contains(path)
        return Reason("edit_outside" if is_outside else "edit_odd_path", path=path)
    if read_scope.is_secret(path):
        return Reason("edit_secret", path=path)
    if _is_loaded_name(names) or any(name.startswith(".") for name in names):
        return Reason("edit_steers", path=path)
    return (
        None
        if _has_source_extension([fold_name(name) for name in names])
        else Reason("edit_ending", path=path)
    )


def is_project_config(path: str) -> bool:
    """Tell by the name of a file or its folders whether it configures, builds, starts or instructs something.

    A rule with a pattern does not match such a file; a rule that names the file does.
    """
    names = [name for name in path.replace("\\", "/").split("/") if name not in {"", ".", ".."}]
    hidden = (name.startswith(".") for name in names)
    return any(hidden) or bool(_UNUSUAL_CHARACTERS.search(path)) or _is_loaded_name(names)


def _paths_below_root(path: str, read_scope: ReadScope) -> list[str] | None:
    """Return the components of a path below its outermost root; None if it is unusual or outside all roots."""
    if _is_ambiguous(path):
        return None
    absolute_path = read_scope.resolve(path)
    if absolute_path is None or not read_scope.contains(path):
        return None
    if absolute_path.startswith("/"):
        root = min(
            (normalize_path(root) for root in read_scope.roots if is_below(absolute_path, root)), key=len
        )
        absolute_path = absolute_path[len(root.rstrip("/")) :]
    return [name for name in absolute_path.split("/") if name]


def _is_ambiguous(path: str) -> bool:
    """Return whether a path is empty, too long, or ambiguous."""
    if (
        not path
        or len(path) > MAX_PATH_LENGTH
        or _UNUSUAL_CHARACTERS.search(path)
        or why_suspicious(path)
        or path.startswith("//")
    ):
        return True
    return any(_is_ambiguous_name(name) for name in path.split("/")) or path.endswith("/")


def _is_ambiguous_name(name: str) -> bool:
    """Return whether a name goes up, looks like an option, or changes if dots and blanks at its end are dropped."""
    if name in {"", "."}:
        return False
    folded_name = fold_name(name)
    if name == ".." or name[0] in " -" or name[-1] in " ." or name != name.strip():
        return True
    return folded_name != name.casefold() and (
        folded_name[0] in ". -" or folded_name[-1] in " ." or bool(_PUNCTUATION & set(folded_name))
    )


def _is_loaded_name(names: Sequence[str]) -> bool:
    folded_names = [fold_name(name) for name in names]
    if not folded_names:
        return True
    return any(name_pattern("folders").match(name) for name in folded_names[:-1]) or is_listed_name(
        folded_names
    )


def _has_source_extension(folded_names: list[str]) -> bool:
    stem, dot, suffix = folded_names[-1].rpartition(".")
    if not dot or not stem:
        return False
    inner = stem.rpartition(".")[2] if suffix in _TEMPLATES else ""
    if inner in _INNER:
        return False
    if suffix in _SOURCES:
        return True
    return suffix in _DATA and any(name in _DATA_FOLDERS for name in folded_names[:-1])


def _written_files(arguments: Mapping[str, Any]) -> list[str] | None:
    """Return the files that an input writes; None if it may do more than that."""
    paths: list[str] = []
    patched: list[str] = []
    for name, value in arguments.items():
        key = fold_key(name)
        if is_path_key(name):
            if not isinstance(value, str):
                return None
            paths.append(value)
        elif key in _PATCHES and isinstance(value, str):
            files = _files_of_patch(key, value, is_only_file=not any(map(is_path_key, arguments)))
            if files is None:
                return None
            patched += files
        elif key in _EDIT_LIST_KEYS and (edited_files := _files_of_edits(value)):
            patched += edited_files
        elif not _is_harmless_member(name, value):
            return None
    if len(paths) > 1 or (
        paths and any(normalize_path(path) != normalize_path(paths[0]) for path in patched)
    ):
        return None
    return paths or patched


def _files_of_edits(value: object) -> list[str] | None:
    """Return the files of a list of edits; None if an edit has more than a path and contents."""
    members = cast("list[object]", value) if isinstance(value, list) else []
    candidates = [
        _file_of_edit(cast("Mapping[str, object]", member))
        for member in members
        if isinstance(member, Mapping)
    ]
    paths = [path for path in candidates if path is not None]
    return paths if len(paths) == len(members) else None


def _file_of_edit(edit: Mapping[str, object]) -> str | None:
    path = [value for name, value in edit.items() if is_path_key(name)]
    is_harmless = all(
        _is_harmless_member(name, value) for name, value in edit.items() if not is_path_key(name)
    )
    return path[0] if is_harmless and len(path) == 1 and isinstance(path[0], str) else None


def _files_of_patch(key: str, text: str, *, is_only_file: bool) -> list[str] | None:
    """Return the files of a patch. A `diff` of search and replacement blocks next to a path names none."""
    if not is_only_file and key == "diff" and patches.is_search_replace(text):
        return []
    return patches.patched_files(text)


def _is_harmless_member(name: str, value: object) -> bool:
    """Return whether a key and its value are contents or have no effect on which file is written and how."""
    key = fold_key(name)
    if value is None or value is False:
        return key in _CONTENTS or key == "append"
    if key in _CHOICES:
        return isinstance(value, str) and value in _CHOICES[key]
    if key == "command":
        return isinstance(value, str) and value in _ACTIONS
    if key not in _CONTENTS:
        return key == "append" and value is True
    return _is_contents(value)


def _is_contents(value: object) -> bool:
    if isinstance(value, Mapping):
        return all(
            _is_harmless_member(name, member) for name, member in cast("Mapping[str, object]", value).items()
        )
    if isinstance(value, list | tuple):
        return all(_is_contents(item) for item in cast("list[object]", value))
    return True
