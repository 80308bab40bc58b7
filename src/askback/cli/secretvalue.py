"""A secret value as it is typed or piped in: exactly as it is, or not at all."""

from __future__ import annotations

import sys
from getpass import getpass

from askback.cli.terminal import printable
from askback.domain.secrets.secret import Secret
from askback.errors import AskbackError

LONGEST_LINE = 4095
"""Bytes after which a terminal drops the rest of a line without a word."""

PADDED = "The value begins or ends with white space, which is kept as it is."


class NotAValue(AskbackError):
    """What was typed is not taken, because it may not be what was meant."""


def typed_or_piped(name: str) -> Secret:
    """Read a value from a prompt that does not show it, or from standard input to its end. Raises `NotAValue`."""
    try:
        if sys.stdin.isatty():
            return whole(getpass(f"Value of {printable(name)}, which is not shown: "), typed=True)
        return Secret(sys.stdin.buffer.read().decode())
    except UnicodeDecodeError:
        pass  # it holds what it could not decode
    raise NotAValue("The value is no text in UTF-8.")


def whole(line: str, *, typed: bool) -> Secret:
    """Return a line that was read. Raises `NotAValue` when it may have been changed, or cut off where it was typed."""
    cut, changed = typed and len(line.encode("utf-8", "replace")) >= LONGEST_LINE, "\ufffd" in line
    value = None if cut or changed else Secret(line)
    del line
    if value is None:
        why = "is too long to be typed" if cut else "holds what is no text in UTF-8"
        raise NotAValue(f"The value {why}. Pipe it instead: askback secrets set NAME < FILE")
    return value


def padded(value: Secret) -> bool:
    """Whether a value has white space at an end, as it is often pasted by mistake."""
    return value.reveal() != value.reveal().strip()
