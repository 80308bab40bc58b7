"""Matches the arguments of a call against the patterns of a rule.

An allow rule matches narrowly: the argument itself, in one spelling. A deny or ask rule matches widely: anything
that may be the argument, in any spelling.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, cast

from askback.domain.patterns.engine import Matcher, compile_pattern
from askback.domain.policy import files, paths
from askback.domain.policy.shell.characters import why_suspicious

_WILDCARD = re.compile(r"(\*\*|\*|\?)")
_PARENT_STEP = re.compile(r"(?:^|[/\\]|%2f|%5c)(?:\.|%2e){2}(?:$|[/\\?#]|%2f|%5c)", re.IGNORECASE)


RECIPIENTS = frozenset("to recipient toemail toaddress".split())
"""Keys that hold the recipient of a message."""
ADDRESSES = frozenset("url uri endpoint".split())
"""Keys that hold the address of a request."""


def names_rival(arguments: Mapping[str, Any], names: Collection[str]) -> bool:
    """Return whether an input has another key that may mean the same as one of these, so that the tool may use it.

    `To` beside `to`: some tools read keys in any case. `path` beside `file_path`, `uri` beside `url`.
    """
    meanings = {_meaning(name) for name in names}
    return any(name not in names and _meaning(name) in meanings for name in arguments)


def _meaning(name: str) -> str:
    folded = files.fold_key(name)
    if files.is_path_key(name):
        return "path"
    return "to" if folded in RECIPIENTS else "url" if folded in ADDRESSES else folded


def has_wildcard(glob: str) -> bool:
    """Return whether a pattern covers more than one text."""
    return "*" in glob or "?" in glob


def allow_matches(arguments: Mapping[str, Any], name: str, glob: str) -> bool:
    """Return whether an argument is present and matches the pattern of an allow rule."""
    value = _scalar(arguments.get(name))
    if value is None:
        return False
    is_path = files.is_path_key(name)
    if (is_path or has_wildcard(glob)) and (_PARENT_STEP.search(value) or "\0" in value):
        return False
    if is_path and has_wildcard(glob) and why_suspicious(value):
        return False  # some file systems ignore characters that nobody sees
    if is_path:
        return "\\" not in value and _compile_glob(_normalize(glob)).fullmatch(_normalize(value))
    return _compile_glob(glob).fullmatch(value) if has_wildcard(glob) else value == glob


def deny_matches(arguments: Mapping[str, Any], roots: Sequence[str], name: str, glob: str) -> bool:
    """Return whether an argument may match the pattern of a deny or ask rule.

    For a path, every text in `places` that may be a path is checked: resolved, in upper and lower case, and for a
    relative pattern also as the end of a longer path. With too many texts to check, the answer is yes.
    """
    is_path = files.is_path_key(name)
    candidates = (
        roots
        if is_path
        else list(islice(_values_of_key(arguments, files.fold_key(name)), files.MAX_PATHS + 1))
    )
    if len(candidates) > files.MAX_PATHS:
        return True
    if is_path:
        return any(_may_match(candidate, glob) for candidate in candidates)
    return any(_compile_glob(glob, any_case=True).fullmatch(value) for value in candidates)


def _normalize(path: str) -> str:
    """Return a path without `./` and without doubled slashes."""
    root = "/" if path.startswith("/") else ""
    parts = [part for part in path.split("/") if part not in {"", "."}]
    return root + "/".join(parts) + ("/" if parts and path.endswith("/") else "")


def _may_match(candidate: str, glob: str) -> bool:
    if len(candidate) > files.MAX_PATH_LENGTH:
        return True  # too many to check
    normalized = "/".join(paths.components(paths.without_scheme(candidate)))
    target_name = "/".join(part for part in glob.removeprefix("~/").split("/") if part not in {"", "."})
    is_absolute = glob.startswith("/")
    may_be_outside = not is_absolute or normalized.startswith(("..", "~"))
    if is_absolute and not may_be_outside and not paths.leaves_folder(candidate):
        return False
    return _compile_glob(f"**/{target_name}" if may_be_outside else target_name, any_case=True).fullmatch(
        f"/{normalized}" if may_be_outside else normalized
    )


def _values_of_key(value: object, target_name: str) -> Iterator[str]:
    """Return every scalar value under a key at any depth."""
    if isinstance(value, Mapping):
        for name, member in cast("Mapping[str, object]", value).items():
            yield from (
                _scalars(member)
                if files.fold_key(name) == target_name
                else _values_of_key(member, target_name)
            )
    elif isinstance(value, list | tuple):
        for item in cast("list[object]", value):
            yield from _values_of_key(item, target_name)


def _scalars(value: object) -> Iterator[str]:
    return (text for leaf in files.leaves(value) if (text := _scalar(leaf)) is not None)


def _scalar(value: object) -> str | None:
    """Return a text unchanged, and a number or a boolean as JSON; None for any other value."""
    if isinstance(value, str):
        return value
    return json.dumps(value) if isinstance(value, bool | int | float) else None


@lru_cache(maxsize=256)
def _compile_glob(glob: str, *, any_case: bool = False) -> Matcher:
    """Compile a pattern: `**` matches any text, `*` and `?` match text without `/`.

    In a URL they do not match `?`, `#` and `@` either, because another host may follow these.
    """
    single_character = "[^/?#@\\\\]" if "://" in glob else "[^/]"
    stand_for = {"**": ".*", "*": f"{single_character}*", "?": single_character}
    body = "".join(stand_for.get(part) or re.escape(part) for part in _WILDCARD.split(glob))
    return compile_pattern(f"(?s{'i' if any_case else ''}){body}")
