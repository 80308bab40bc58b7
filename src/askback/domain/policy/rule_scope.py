"""Limits rules with patterns: none reaches a secret file, and a built-in one nothing outside the roots.

See ADR 0032. Each function returns the reason why the rule does not apply, or None.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from askback.domain.policy import edits, operands, paths, read_tools
from askback.domain.policy.calls import Call
from askback.domain.policy.filters import safe_glob, safe_globs, safe_type
from askback.domain.policy.read_scope import ReadScope
from askback.domain.policy.reasons import Reason
from askback.domain.policy.rules import Rule
from askback.domain.policy.searches import FolderSearch, folder_search, looks_like_file
from askback.domain.policy.shell.characters import why_suspicious
from askback.domain.policy.shell.lexer import Argv
from askback.domain.policy.shell.programs import basename

_MAY_OPEN = Reason("may_open_secrets")
_ALTERNATIVE = re.compile(r"[{,(|\s]")
_PATTERN = re.compile(r"[A-Za-z0-9_./*?][\w@+,./*?-]*")
_PARENT_STEP = re.compile(r"(?:\A|/)(?:\.\.|\.[^/]*[*?])")
_READERS = frozenset(
    "cat head tail wc nl tac stat du grep egrep fgrep rg md5sum sha1sum sha256sum sed sort".split()
)
"""Programs that read any number of files, given anywhere among their arguments."""
_NO_FILE_OPTIONS = frozenset("cat head tail nl tac stat".split())
"""Those of them whose options open and write no files: a file called `-x.py` does no harm."""
_WILDCARD = re.compile(r"[*?\[\]{}!]")


def check_command(argv: Argv, rule: Rule, read_scope: ReadScope, *, piped: bool) -> Reason | None:
    """Return why a rule does not cover a simple command that it matches."""
    if rule.built_in and (root_mismatch := _check_roots(argv, read_scope)):
        return root_mismatch
    if not rule.prefix:
        return None
    operand_paths = operands.file_operands(argv)
    if secret := next((path for path in operand_paths if read_scope.is_secret(path)), None):
        return Reason("secret_place", path=secret)
    search = folder_search(argv, piped=piped)
    return None if search is None else _check_search(search, rule, read_scope)


def _check_roots(argv: Argv, read_scope: ReadScope) -> Reason | None:
    if not read_scope.contains("."):
        return Reason("folder_outside", path=read_scope.folder or "")
    if basename(argv[0]) == "git" and argv[1:2] != ("--version",) and not read_scope.is_at_root:
        return Reason("git_folder", path=read_scope.folder or "")
    outside_path = next(
        (path for path in operands.file_operands(argv) if not read_scope.contains(path)), None
    )
    return None if outside_path is None else Reason("path_outside", path=outside_path)


def check_pattern(argv: Argv, word: str) -> Reason | None:
    """Return why a pattern may expand to an option, a secret file, or a file outside the folder."""
    name, include = basename(argv[0]), word.removeprefix("--include=")
    if include != word and name in {"grep", "egrep", "fgrep"} and "/" not in include:
        is_harmless = safe_glob(include)
    elif name == "ls":  # none of its options opens or writes a file
        is_harmless = bool(_PATTERN.fullmatch(word)) and not _PARENT_STEP.search(word)
    else:
        folder, _, base_name = word.rpartition("/")
        is_plain = folder or word[0] not in "*?" or name in _NO_FILE_OPTIONS
        has_fixed_start = is_plain and _PATTERN.fullmatch(word) and not _WILDCARD.search(folder)
        is_harmless = (
            name in _READERS
            and bool(has_fixed_start)
            and not _PARENT_STEP.search(word)
            and safe_glob(base_name or word)
        )
    return None if is_harmless else Reason("pattern_open", pattern=word)


def _check_search(search: FolderSearch, rule: Rule, read_scope: ReadScope) -> Reason | None:
    if search.is_harmless(read_scope) or (rule.built_in and search.avoids_hidden(read_scope)):
        return None
    if not rule.built_in and search.has_named_folders(read_scope):
        return None
    return _MAY_OPEN


def check_tool(call: Call, rule: Rule, read_scope: ReadScope) -> Reason | None:
    """Return why a tool rule with patterns does not cover a call."""
    if rule.arguments and call.is_edit:
        return _check_autorun(call, rule)
    if rule.arguments and not call.may_read:
        return None
    if rule.built_in:
        return _check_read(call, read_scope)
    secret_path = next(filter(_is_unnamed_secret, _texts_beyond(call, rule)), None)
    if secret_path:
        return Reason("unnamed_secret", path=secret_path)
    return (
        None
        if _is_filtered(call, read_scope) or all(map(read_scope.is_named_folder, _search_targets(call)))
        else _MAY_OPEN
    )


def _texts_beyond(call: Call, rule: Rule) -> Iterator[str]:
    """Return the texts of an input without those that the rule itself says are secret files: `**/.env`."""
    named = {call.members.get(name) for name, glob in rule.arguments if paths.is_secret_path(glob)}
    return (text for text in call.texts() if text not in named)


def _is_unnamed_secret(text: str) -> bool:
    return paths.is_secret_path(text) or text.startswith("~")


def _check_read(call: Call, read_scope: ReadScope) -> Reason | None:
    """Check every path of a read-only tool; name patterns are paths relative to the folder of the call."""
    if not call.has_members:
        return Reason("input_no_object")
    if not read_scope.contains("."):
        return Reason("folder_outside", path=read_scope.folder or "")
    texts = read_tools.other_texts(call.folded_name, call.members)
    folders = read_tools.search_folders(call.members)
    for path in (*folders, *texts):
        if any(map(read_scope.is_secret, {path, _WILDCARD.sub("", path)})):
            return Reason("unnamed_secret", path=path)
        if _is_ambiguous(path) or not read_scope.contains(path):
            return Reason("path_outside", path=path)
    escaping_text = next((text for text in texts if _leads_out(text)), None)
    if escaping_text:
        return Reason("pattern_outside", pattern=escaping_text)
    return None if _is_filtered(call, read_scope) else _MAY_OPEN


def _leads_out(pattern: str) -> bool:
    """Return whether a name pattern goes up, or has an alternative outside: `{/etc/*,x}`."""
    alternatives = _ALTERNATIVE.split(pattern)[1:]
    return any(part.startswith(("/", "~")) for part in alternatives) or ".." in re.split(
        r"[/{},()|\s]", pattern
    )


def _is_ambiguous(path: str) -> bool:
    """Return whether a tool may read a path differently: a scheme, a variable, a final blank, hidden characters."""
    without_root = path.lstrip("/").replace("..", "")
    return paths.leaves_folder(without_root) or path != path.strip() or why_suspicious(path) is not None


def _search_targets(call: Call) -> list[str]:
    """Return the paths where a search begins: of a pattern, the folder in front of it."""
    if call.folded_name in read_tools.MANY_READERS:
        return [_folder_before_pattern(path) for path in _read_paths(call)] or ["."]
    return read_tools.search_folders(call.members) or ["."]


def _read_paths(call: Call) -> list[str]:
    return [*read_tools.search_folders(call.members), *read_tools.name_filters(call.members)[0]]


def _folder_before_pattern(path: str) -> str:
    literal, *glob_parts = _WILDCARD.split(path, maxsplit=1)
    return literal.rpartition("/")[0] or "." if glob_parts else path


def _is_filtered(call: Call, read_scope: ReadScope) -> bool:
    """Return whether a tool does not search, or finds only names or folders without secret files."""
    if call.folded_name in read_tools.MANY_READERS:
        read = _read_paths(call)
        return bool(read) and all(_names_no_secret(path, read_scope) for path in read)
    if call.folded_name not in read_tools.SEARCH_TOOLS:
        return True
    globs, types = read_tools.name_filters(call.members)
    if globs:
        return all(map(safe_globs, globs))
    if types:
        return all(map(safe_type, types))
    return all(looks_like_file(path) or read_scope.is_secret_free(path) for path in _search_targets(call))


def _names_no_secret(path: str, read_scope: ReadScope) -> bool:
    """Return whether no file that a path or a pattern names, or that is below it, is a secret file."""
    if _WILDCARD.search(path):
        return safe_globs(path)
    return looks_like_file(path) or read_scope.is_secret_free(path)


def _check_autorun(call: Call, rule: Rule) -> Reason | None:
    """Exclude autorun files from a pattern, unless the rule names their folder."""
    literal_starts = [_WILDCARD.split(glob, maxsplit=1)[0] for _, glob in rule.arguments]
    for path in call.possible_paths:
        relative_path = next(
            (path[len(start) :] for start in literal_starts if start and path.startswith(start)), path
        )
        if edits.is_project_config(relative_path):
            return Reason("steers_later", path=path)
    return None
