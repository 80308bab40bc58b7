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
_WILD = re.compile(r"[*?\[\]{}!]")


def check_command(argv: Argv, rule: Rule, reach: ReadScope, *, piped: bool) -> Reason | None:
    """Say why a rule does not cover a simple command that it matches."""
    if rule.built_in and (wrong := _check_roots(argv, reach)):
        return wrong
    if not rule.prefix:
        return None
    operand_paths = operands.file_operands(argv)
    if secret := next((path for path in operand_paths if reach.is_secret(path)), None):
        return Reason("secret_place", path=secret)
    searched = folder_search(argv, piped=piped)
    return None if searched is None else _check_search(searched, rule, reach)


def _check_roots(argv: Argv, reach: ReadScope) -> Reason | None:
    if not reach.contains("."):
        return Reason("folder_outside", path=reach.folder or "")
    if basename(argv[0]) == "git" and argv[1:2] != ("--version",) and not reach.is_at_root:
        return Reason("git_folder", path=reach.folder or "")
    outside = next((path for path in operands.file_operands(argv) if not reach.contains(path)), None)
    return None if outside is None else Reason("path_outside", path=outside)


def check_pattern(argv: Argv, word: str) -> Reason | None:
    """Say why a pattern may expand to an option, a secret file, or a file outside the folder."""
    name, include = basename(argv[0]), word.removeprefix("--include=")
    if include != word and name in {"grep", "egrep", "fgrep"} and "/" not in include:
        harmless = safe_glob(include)
    elif name == "ls":  # none of its options opens or writes a file
        harmless = bool(_PATTERN.fullmatch(word)) and not _PARENT_STEP.search(word)
    else:
        folder, _, last = word.rpartition("/")
        plain = folder or word[0] not in "*?" or name in _NO_FILE_OPTIONS
        beginning = plain and _PATTERN.fullmatch(word) and not _WILD.search(folder)
        harmless = (
            name in _READERS and bool(beginning) and not _PARENT_STEP.search(word) and safe_glob(last or word)
        )
    return None if harmless else Reason("pattern_open", pattern=word)


def _check_search(searched: FolderSearch, rule: Rule, reach: ReadScope) -> Reason | None:
    if searched.is_harmless(reach) or (rule.built_in and searched.avoids_hidden(reach)):
        return None
    if not rule.built_in and searched.has_named_folders(reach):
        return None
    return _MAY_OPEN


def check_tool(call: Call, rule: Rule, reach: ReadScope) -> Reason | None:
    """Say why a tool rule with patterns does not cover a call."""
    if rule.arguments and call.is_edit:
        return _check_autorun(call, rule)
    if rule.arguments:
        return None
    if rule.built_in:
        return _check_read(call, reach)
    secret_path = next(
        (text for text in call.texts() if paths.is_secret_path(text) or text.startswith("~")), None
    )
    if secret_path:
        return Reason("unnamed_secret", path=secret_path)
    return (
        None
        if _is_filtered(call, reach) or all(map(reach.is_named_folder, _search_targets(call)))
        else _MAY_OPEN
    )


def _check_read(call: Call, reach: ReadScope) -> Reason | None:
    """Check every path of a read-only tool; name patterns are paths relative to the folder of the call."""
    if not call.has_members:
        return Reason("input_no_object")
    if not reach.contains("."):
        return Reason("folder_outside", path=reach.folder or "")
    others = read_tools.other_texts(call.folded_name, call.members)
    named = read_tools.search_folders(call.members)
    for path in (*named, *others):
        if any(map(reach.is_secret, {path, _WILD.sub("", path)})):
            return Reason("unnamed_secret", path=path)
        if _is_ambiguous(path) or not reach.contains(path):
            return Reason("path_outside", path=path)
    up = next((text for text in others if _leads_out(text)), None)
    if up:
        return Reason("pattern_outside", pattern=up)
    return None if _is_filtered(call, reach) else _MAY_OPEN


def _leads_out(pattern: str) -> bool:
    """Tell whether a name pattern goes up, or has an alternative outside: `{/etc/*,x}`."""
    later = _ALTERNATIVE.split(pattern)[1:]
    return any(part.startswith(("/", "~")) for part in later) or ".." in re.split(r"[/{},()|\s]", pattern)


def _is_ambiguous(path: str) -> bool:
    """Tell whether a tool may read a path differently: with a scheme, a variable, a blank at its end, hidden signs."""
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
    literal, *rest = _WILD.split(path, maxsplit=1)
    return literal.rpartition("/")[0] or "." if rest else path


def _is_filtered(call: Call, reach: ReadScope) -> bool:
    """Tell whether a tool does not search, or finds only names or folders without secret files."""
    if call.folded_name in read_tools.MANY_READERS:
        read = _read_paths(call)
        return bool(read) and all(_names_no_secret(path, reach) for path in read)
    if call.folded_name not in read_tools.SEARCH_TOOLS:
        return True
    globs, types = read_tools.name_filters(call.members)
    if globs:
        return all(map(safe_globs, globs))
    if types:
        return all(map(safe_type, types))
    return all(looks_like_file(path) or reach.is_secret_free(path) for path in _search_targets(call))


def _names_no_secret(path: str, reach: ReadScope) -> bool:
    """Tell whether no file that a path or a pattern names, or that is below it, is a secret file."""
    if _WILD.search(path):
        return safe_globs(path)
    return looks_like_file(path) or reach.is_secret_free(path)


def _check_autorun(call: Call, rule: Rule) -> Reason | None:
    """Exclude autorun files from a pattern, unless the rule names their folder."""
    named = [_WILD.split(glob, maxsplit=1)[0] for _, glob in rule.arguments]
    for path in call.possible_paths:
        rest = next((path[len(start) :] for start in named if start and path.startswith(start)), path)
        if edits.is_project_config(rest):
            return Reason("steers_later", path=path)
    return None


def check_own_data(call: Call, reach: ReadScope) -> Reason | None:
    """Say which part of a call reaches into askback's own data folder."""
    own_data = reach.find_own_data(_possible_paths(call, reach))
    return None if own_data is None else Reason("own_data")


def _possible_paths(call: Call, reach: ReadScope) -> Iterator[str]:
    if reach.folder is not None:
        yield reach.folder
    if call.is_edit:
        yield from call.possible_paths
        return
    yield from call.texts()
    if call.reading is not None:
        for argv in call.reading.all_commands:
            yield from argv
        yield from (*call.reading.targets, *call.reading.inputs)
