"""How far a rule that leaves something open reaches: to no secret file, and a ready-made one to nothing outside a root.

See ADR 0032. Each function returns what is in the way, as a sentence without its end, or None.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from askback.domain.policy import edits, operands, paths, read_tools
from askback.domain.policy.calls import Call
from askback.domain.policy.filters import safe_glob, safe_globs, safe_type
from askback.domain.policy.reach import Reach
from askback.domain.policy.reasons import Reason
from askback.domain.policy.rules import Rule
from askback.domain.policy.searches import Search, plain_file, search
from askback.domain.policy.shell.lexer import Argv
from askback.domain.policy.shell.programs import basename
from askback.domain.policy.wordlist import words

_MAY_OPEN = Reason("may_open_secrets")
_ALTERNATIVE = re.compile(r"[{,(|\s]")
_PATTERN = re.compile(r"[A-Za-z0-9_./*?][\w@+,./*?-]*")
_UP = re.compile(r"(?:\A|/)(?:\.\.|\.[^/]*[*?])")
_READERS = words("cat head tail wc nl tac stat du grep egrep fgrep rg md5sum sha1sum sha256sum sed sort")
"""Programs that take any number of files to read, wherever they stand."""
_NO_FILE_OPTIONS = words("cat head tail nl tac stat")
"""Those of them of which no option opens or writes a file: a file that is called `-x.py` does no harm."""
_WILD = re.compile(r"[*?\[\]{}!]")


def command(argv: Argv, rule: Rule, reach: Reach, *, piped: bool) -> Reason | None:
    """Say why a rule does not reach a simple command that it matches."""
    if rule.built_in and (wrong := _outside(argv, reach)):
        return wrong
    if not rule.prefix:
        return None
    found = operands.files(argv)
    if secret := next((path for path in found if reach.secret(path)), None):
        return Reason("secret_place", path=secret)
    searched = search(argv, piped=piped)
    return None if searched is None else _searched(searched, rule, reach)


def _outside(argv: Argv, reach: Reach) -> Reason | None:
    if not reach.inside("."):
        return Reason("folder_outside", path=reach.folder or "")
    if basename(argv[0]) == "git" and argv[1:2] != ("--version",) and not reach.at_root:
        return Reason("git_folder", path=reach.folder or "")
    found = next((path for path in operands.files(argv) if not reach.inside(path)), None)
    return None if found is None else Reason("path_outside", path=found)


def pattern(argv: Argv, word: str) -> Reason | None:
    """Say why a pattern may expand to more than harmless files of the folder: an option, or a file with secrets."""
    name, include = basename(argv[0]), word.removeprefix("--include=")
    if include != word and name in {"grep", "egrep", "fgrep"} and "/" not in include:
        harmless = safe_glob(include)
    elif name == "ls":  # no option of it writes, or opens a file
        harmless = bool(_PATTERN.fullmatch(word)) and not _UP.search(word)
    else:
        folder, _, last = word.rpartition("/")
        plain = folder or word[0] not in "*?" or name in _NO_FILE_OPTIONS
        beginning = plain and _PATTERN.fullmatch(word) and not _WILD.search(folder)
        harmless = name in _READERS and bool(beginning) and not _UP.search(word) and safe_glob(last or word)
    return None if harmless else Reason("pattern_open", pattern=word)


def _searched(searched: Search, rule: Rule, reach: Reach) -> Reason | None:
    if searched.harmless(reach) or (rule.built_in and searched.quiet(reach)):
        return None
    if not rule.built_in and searched.named(reach):
        return None
    return _MAY_OPEN


def tool(call: Call, rule: Rule, reach: Reach) -> Reason | None:
    """Say why a rule for a tool, which leaves its input open, does not reach a call."""
    if rule.arguments and call.edits:
        return _beside(call, rule)
    if rule.arguments:
        return None
    if rule.built_in:
        return _read(call, reach)
    found = next((text for text in call.texts() if paths.secret_path(text) or text.startswith("~")), None)
    if found:
        return Reason("unnamed_secret", path=found)
    return None if _filtered(call, reach) or all(map(reach.named, _targets(call))) else _MAY_OPEN


def _read(call: Call, reach: Reach) -> Reason | None:
    """Look at every path of a tool that reads; patterns of names are paths that begin where the call does."""
    if not reach.inside("."):
        return Reason("folder_outside", path=reach.folder or "")
    others = read_tools.other_texts(call.folded, call.input)
    named = read_tools.folders(call.input)
    for path in (*named, *others):
        if reach.secret(path) or reach.secret(_WILD.sub("", path)):
            return Reason("unnamed_secret", path=path)
        if _odd(path) or not reach.inside(path):
            return Reason("path_outside", path=path)
    up = next((text for text in others if _leads_out(text)), None)
    if up:
        return Reason("pattern_outside", pattern=up)
    return None if _filtered(call, reach) else _MAY_OPEN


def _leads_out(pattern: str) -> bool:
    """Tell whether a pattern of names goes up, or has an alternative that begins somewhere else: `{/etc/*,x}`."""
    later = _ALTERNATIVE.split(pattern)[1:]
    return any(part.startswith(("/", "~")) for part in later) or ".." in re.split(r"[/{},()|\s]", pattern)


def _odd(path: str) -> bool:
    """Tell whether a tool may read a path as another one: a scheme, a variable, a blank at an end."""
    return paths.outside(path.lstrip("/").replace("..", "")) or path != path.strip()


def _targets(call: Call) -> list[str]:
    return read_tools.folders(call.input) or ["."]


def _filtered(call: Call, reach: Reach) -> bool:
    """Tell whether a tool does not search, or is bound to names that no secret file has, or to what has none."""
    if call.folded not in read_tools.SEARCH_TOOLS:
        return True
    globs, types = read_tools.filters(call.input)
    if globs:
        return all(map(safe_globs, globs))
    if types:
        return all(map(safe_type, types))
    return all(plain_file(path) or reach.no_secrets(path) for path in _targets(call))


def _beside(call: Call, rule: Rule) -> Reason | None:
    """Stop a pattern before a file that steers what runs later, unless the rule names its folder."""
    named = [_WILD.split(glob, maxsplit=1)[0] for _, glob in rule.arguments]
    for path in call.places:
        rest = next((path[len(start) :] for start in named if start and path.startswith(start)), path)
        if edits.steering(rest):
            return Reason("steers_later", path=path)
    return None


def own_data(call: Call, reach: Reach) -> Reason | None:
    """Say which part of a call reaches into askback's own data folder."""
    found = reach.own_data(_all(call, reach))
    return None if found is None else Reason("own_data")


def _all(call: Call, reach: Reach) -> Iterator[str]:
    if reach.folder is not None:
        yield reach.folder
    if call.edits:
        yield from call.places
        return
    yield from call.texts()
    if call.reading is not None:
        for argv in call.reading.seen:
            yield from argv
        yield from (*call.reading.targets, *call.reading.inputs)
