"""What a value of a git command may be; see `kinds.py`."""

from __future__ import annotations

import re

from askback.domain.policy import paths
from askback.domain.policy.reasons import Reason
from askback.domain.policy.shell.lexer import Argv

_LABEL = re.compile(r"[\w.+-]+")
_REFERENCE = re.compile(r"[\w.@{}^~/-]+")
_BRANCH = re.compile(
    r"-|(?:origin/|upstream/)?(?:main|master|develop|dev|trunk|staging|(?:feature|feat|fix|bugfix|hotfix|chore|release)s?/[\w./-]+)"
    r"|HEAD(?:~\d+|\^+)?|v\d+(?:\.\d+)*|[0-9a-f]{7,40}"
)
_SETTING = re.compile(
    r"user\.(?:name|email)|(?:core|branch|init|pull|push|merge|rebase|color|diff|commit|tag)\.[\w./-]+",
    re.IGNORECASE,
)
_PATTERN_START = re.compile(r":(?:[!^/]|\([a-z,!]+\))?")


def reference(value: str, _words: Argv) -> Reason | None:
    """A branch, a tag or a commit: nothing with `:` or `+`, which push and fetch read as an order."""
    if value == "-":
        return None
    if not _REFERENCE.fullmatch(value) or value.startswith(("/", "-", "..", "~")):
        return Reason("not_plain", value=value)
    return None


def remote(value: str, _words: Argv) -> Reason | None:
    """A remote by its name: an address or a path may run a program (`ext::`)."""
    return None if _LABEL.fullmatch(value) and set(value) != {"."} else Reason("not_plain", value=value)


def branch(value: str, _words: Argv) -> Reason | None:
    """A name that is plainly a branch, a tag or a commit, and no path."""
    return None if _BRANCH.fullmatch(value) else Reason("may_be_path", value=value)


def setting(value: str, _words: Argv) -> Reason | None:
    """A setting of git that holds no secret; the address of a remote may have a token in it."""
    return None if _SETTING.fullmatch(value) else Reason("secret_place", path=value)


def tracked(value: str, _words: Argv) -> Reason | None:
    """A revision, or a path in the repository; `REV:PATH` names a file of that revision."""
    plain = _PATTERN_START.sub("", value, count=1) if value.startswith(":") else value
    for piece in (value, *plain.split(":")):
        if piece and paths.secret_path(piece):
            return Reason("secret_place", path=value)
    last = plain.rpartition(":")[2]
    if last.startswith(("/", "~", "../", "..\\")) or last == ".." or "/../" in last or last.endswith("/.."):
        return Reason("leads_out", path=value)
    return None


def pretty(value: str, _words: Argv) -> Reason | None:
    """A format of git's; `%G` runs the signature program of the repository's configuration."""
    if "%G" in value or "%(signature" in value or ("%(trailers" in value and "cmd" in value):
        return Reason("unknown_value", value=value)
    return None
