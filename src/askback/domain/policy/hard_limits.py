"""What no rule, no mode and no person's "always" lets through.

Short on purpose: each entry is the end of a machine or an account.
"""

from __future__ import annotations

import re

from askback.domain.policy import paths
from askback.domain.policy.calls import Call
from askback.domain.policy.dangers import letters
from askback.domain.policy.reasons import Reason
from askback.domain.policy.shell.lexer import Argv
from askback.domain.policy.shell.programs import basename
from askback.domain.policy.wordlist import words

_HOME = re.compile(r"(?:~[A-Za-z0-9_-]*|\$HOME|\$\{HOME[^}]*\}|/home/[^/]+|/root|/Users/[^/]+)(?:/\.?\*?)*")
_SYSTEM = words(
    "bin boot dev etc home lib lib64 opt proc root sbin srv sys usr var users system library applications"
)
# The text is the agent's, and the search must not be what stops the machine: no repetition gives anything back.
_NAME = r"(?<![\w:.])([\w:.]{1,40}+)(?![\w:.])\s{0,9}+"
_DEFINED = re.compile(_NAME + r"\(\s{0,9}+\)\s{0,9}+\{")
_DOUBLED = re.compile(_NAME + r"\|\s{0,9}+\1\s{0,9}+&")
_FORMATS = words("mkfs mke2fs mkswap wipefs blkdiscard")
_PLAIN_DEVICES = re.compile(
    r"/dev/(?:null|zero|full|tty|stdin|stdout|stderr|fd/\d+|shm/.*|tcp/.*|udp/.*|ptmx)"
)
_ACCOUNTS = frozenset(
    {("etc", "passwd"), ("etc", "shadow"), ("etc", "sudoers"), ("etc", "gshadow"), ("etc", "sudoers.d")}
)
_COPIES = words("cp mv install ln tee rsync scp truncate touch sed")


def broken(call: Call) -> Reason | None:
    """Say which hard limit a call breaks; None when it breaks none."""
    reading = call.reading
    if reading is None:
        return next((reason for path in call.written if (reason := _written(path))), None)
    if any(map(_bomb, reading.lines)):
        return Reason("limit_bomb")
    for argv in reading.seen:
        reason = _command(argv)
        if reason:
            return reason
    return next((reason for target in reading.targets if (reason := _written(target))), None)


def _bomb(text: str) -> bool:
    """Tell whether a function is defined and put into the background twice: `f() { f | f & }; f`."""
    if any(sign not in text for sign in "&|({"):
        return False
    doubled = {match[1] for match in _DOUBLED.finditer(text)}
    return bool(doubled) and any(match[1] in doubled for match in _DEFINED.finditer(text))


def _command(argv: Argv) -> Reason | None:
    name = basename(argv[0])
    operands = [word for word in argv[1:] if not word.startswith("-")]
    if name == "rm" and ({"r", "R"} & letters(argv) or _long(argv, "--recursive")):
        return _everything(operands) or (Reason("limit_root") if _long(argv, "--no-preserve-root") else None)
    if name == "find" and ("-delete" in argv or any(basename(word) in {"rm", "shred"} for word in argv)):
        return _everything(operands[:1])
    if name in {"chmod", "chown", "chgrp"} and ("R" in letters(argv) or _long(argv, "--recursive")):
        return _everything(operands[1:])
    if name in _FORMATS or name.startswith("mkfs."):
        return Reason("limit_format", name=name)
    if name in {"dd", "shred", "tee", "cp", "mv", "fdisk", "sfdisk", "parted", "sgdisk"}:
        written = (
            [word[3:] for word in operands if word.startswith("of=")]
            if name == "dd"
            else operands[-1:]
            if name in {"cp", "mv"}
            else operands
        )
        device = next((word for word in written if _device(word)), None)
        if device:
            return Reason("limit_device", path=device)
    if name in _COPIES or name == "dd":
        edits = name != "sed" or "i" in letters(argv)
        targets = (
            [word.removeprefix("of=") for word in operands]
            if name in {"dd", "tee", "touch", "truncate", "sed"}
            else operands[-1:]
        )
        return next((reason for word in targets if edits and (reason := _written(word))), None)
    return None


def _long(argv: Argv, option: str) -> bool:
    """Tell whether a long option is given, also abbreviated as GNU programs allow."""
    return any(len(word) > 3 and option.startswith(word) for word in argv[1:])


def _everything(operands: list[str]) -> Reason | None:
    for word in operands:
        names = [name for name in paths.parts(word) if name not in {"*", ".*"}]
        if word.startswith("/") and (not names or (len(names) == 1 and names[0] in _SYSTEM)):
            return Reason("limit_system", path=word)
        if _HOME.fullmatch(word):
            return Reason("limit_home", path=word)
    return None


def _device(path: str) -> bool:
    place = _absolute(path)
    return place.startswith("/dev/") and not _PLAIN_DEVICES.fullmatch(place)


def _written(path: str) -> Reason | None:
    if _device(path):
        return Reason("limit_device", path=path)
    names = paths.parts(path)
    if ".ssh" in names or names[-1:] == ["authorized_keys"]:
        return Reason("limit_ssh", path=path)
    if tuple(_absolute(path).split("/")[1:3]) in _ACCOUNTS:
        return Reason("limit_accounts", path=path)
    return None


def _absolute(path: str) -> str:
    """Return a path from the root, also where it leads there by `file:` or up; empty when it does not."""
    bare = paths.without_scheme(path).replace("\\", "/")
    names = paths.parts(bare)
    if not bare.startswith("/") and names[:1] != [".."]:
        return ""
    return "/" + "/".join(name for name in names if name != "..")
