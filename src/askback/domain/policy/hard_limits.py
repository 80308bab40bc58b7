"""Hard limits: calls that no rule, mode or person can allow.

The list is short on purpose: each entry destroys a machine or an account.
"""

from __future__ import annotations

import re

from askback.domain.policy import paths
from askback.domain.policy.calls import Call
from askback.domain.policy.reasons import Reason
from askback.domain.policy.risks import letters
from askback.domain.policy.shell.lexer import Argv
from askback.domain.policy.shell.programs import basename

_HOME = re.compile(r"(?:~[A-Za-z0-9_-]*|\$HOME|\$\{HOME[^}]*\}|/home/[^/]+|/root|/Users/[^/]+)(?:/\.?\*?)*")
_SYSTEM = frozenset(
    "bin boot dev etc home lib lib64 opt proc root sbin srv sys usr var users system library applications".split()
)
# An agent chooses the text, so the patterns must not backtrack: all repetitions are possessive.
_NAME = r"(?<![\w:.])([\w:.]{1,40}+)(?![\w:.])\s{0,9}+"
_DEFINED = re.compile(_NAME + r"\(\s{0,9}+\)\s{0,9}+\{")
_DOUBLED = re.compile(_NAME + r"\|\s{0,9}+\1\s{0,9}+&")
_FORMATS = frozenset("mkfs mke2fs mkswap wipefs blkdiscard".split())
_PLAIN_DEVICES = re.compile(
    r"/dev/(?:null|zero|full|tty|stdin|stdout|stderr|fd/\d+|shm/.*|tcp/.*|udp/.*|ptmx)"
)
_ACCOUNTS = frozenset(
    {("etc", "passwd"), ("etc", "shadow"), ("etc", "sudoers"), ("etc", "gshadow"), ("etc", "sudoers.d")}
)
_RECURSIVE = frozenset("rm chmod chown chgrp".split())
_DEVICE_WRITERS = frozenset("dd shred tee cp mv fdisk sfdisk parted sgdisk".split())
_FILE_WRITERS = frozenset("dd cp mv install ln tee rsync scp truncate touch sed".split())
_LAST_OPERAND = frozenset("cp mv install ln rsync scp".split())
"""Programs that write only to their last operand."""


LIMITS = (
    "limit_root",
    "limit_system",
    "limit_home",
    "limit_format",
    "limit_device",
    "limit_ssh",
    "limit_accounts",
    "limit_bomb",
)
"""The codes of the reasons that `broken_limit` returns."""


def broken_limit(call: Call) -> Reason | None:
    """Return which hard limit a call breaks; None if it breaks none."""
    reading = call.reading
    if reading is None:
        return next((reason for path in call.written_paths if (reason := _write_limit(path))), None)
    if any(map(_is_fork_bomb, reading.lines)):
        return Reason("limit_bomb")
    for argv in reading.all_commands:
        reason = _command_limit(argv)
        if reason:
            return reason
    return next((reason for target in reading.targets if (reason := _write_limit(target))), None)


def _is_fork_bomb(text: str) -> bool:
    """Return whether a text defines a function that starts itself twice in the background: `f() { f | f & }; f`."""
    if any(token not in text for token in "&|({"):
        return False
    doubled_names = {match[1] for match in _DOUBLED.finditer(text)}
    return bool(doubled_names) and any(match[1] in doubled_names for match in _DEFINED.finditer(text))


def _command_limit(argv: Argv) -> Reason | None:
    name = basename(argv[0])
    operands = [word for word in argv[1:] if not word.startswith("-")]
    if name in _RECURSIVE or name == "find":
        return _removal_limit(name, argv, operands)
    if name in _FORMATS or name.startswith("mkfs."):
        return Reason("limit_format", name=name)
    written_paths = operands[-1:] if name in _LAST_OPERAND else operands
    if name in _DEVICE_WRITERS:
        outputs = [word[3:] for word in operands if word.startswith("of=")] if name == "dd" else written_paths
        if device := next(filter(_is_device, outputs), None):
            return Reason("limit_device", path=device)
    if name in _FILE_WRITERS and (name != "sed" or "i" in letters(argv)):
        targets = (
            written_paths if name in _LAST_OPERAND else [word.removeprefix("of=") for word in written_paths]
        )
        return next((reason for word in targets if (reason := _write_limit(word))), None)
    return None


def _removal_limit(name: str, argv: Argv, operands: list[str]) -> Reason | None:
    """Return why a command must not delete or change a whole folder tree; None if it does neither."""
    if name == "find":
        deletes = "-delete" in argv or any(basename(word) in {"rm", "shred"} for word in argv)
        return _names_everything(operands[:1]) if deletes else None
    if not (
        "R" in letters(argv)
        or (name == "rm" and "r" in letters(argv))
        or _has_long_option(argv, "--recursive")
    ):
        return None
    if name != "rm":
        return _names_everything(operands[1:])
    return _names_everything(operands) or (
        Reason("limit_root") if _has_long_option(argv, "--no-preserve-root") else None
    )


def _has_long_option(argv: Argv, option: str) -> bool:
    """Return whether a long option is present, also abbreviated as GNU programs allow."""
    return any(len(word) > 3 and option.startswith(word) for word in argv[1:])


def _names_everything(operands: list[str]) -> Reason | None:
    for word in operands:
        names = [name for name in paths.components(word) if name not in {"*", ".*", ".."}]
        if word.startswith("/") and (not names or (len(names) == 1 and names[0] in _SYSTEM)):
            return Reason("limit_system", path=word)
        if _HOME.fullmatch(word):
            return Reason("limit_home", path=word)
    return None


def _is_device(path: str) -> bool:
    absolute = _absolute_path(path)
    return absolute.startswith("/dev/") and not _PLAIN_DEVICES.fullmatch(absolute)


def _write_limit(path: str) -> Reason | None:
    if _is_device(path):
        return Reason("limit_device", path=path)
    names = paths.components(path)
    if ".ssh" in names or names[-1:] == ["authorized_keys"]:
        return Reason("limit_ssh", path=path)
    if tuple(_absolute_path(path).split("/")[1:3]) in _ACCOUNTS:
        return Reason("limit_accounts", path=path)
    return None


def _absolute_path(path: str) -> str:
    """Return the absolute form of a path, also with `file:` or leading `..`; empty if it is relative."""
    local_path = paths.without_scheme(path).replace("\\", "/")
    names = paths.components(local_path)
    if not local_path.startswith("/") and names[:1] != [".."]:
        return ""
    return "/" + "/".join(name for name in names if name != "..")
