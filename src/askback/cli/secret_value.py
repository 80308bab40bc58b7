"""Read a secret value that is typed or piped in: unchanged, or not at all."""

from __future__ import annotations

import sys
from getpass import getpass

from askback.cli.terminal import printable
from askback.domain.secrets.secret import Secret
from askback.errors import AskbackError
from askback.messages import DEFAULT_LOCALE, translate

LONGEST_LINE = 4095
"""Bytes after which a terminal silently drops the rest of a line."""

PADDED = translate("fault.secret_padded", DEFAULT_LOCALE)


class InvalidValue(AskbackError):
    """The typed value is rejected, because it may not be the intended one."""


def read_value(name: str) -> Secret:
    """Read a value from a prompt that does not show it, or from standard input to its end. Raises `InvalidValue`."""
    try:
        if sys.stdin.isatty():
            return parse_value(getpass(f"Value of {printable(name)}, hidden: "), typed=True)
        return Secret(sys.stdin.buffer.read().decode())
    except UnicodeDecodeError:
        pass  # it contains the undecoded bytes
    raise InvalidValue("The value is not valid UTF-8.")


def parse_value(line: str, *, typed: bool) -> Secret:
    """Return a line as a value. Raises `InvalidValue` when the terminal may have changed it or cut it off."""
    is_cut, changed = typed and len(line.encode("utf-8", "replace")) >= LONGEST_LINE, "\ufffd" in line
    value = None if is_cut or changed else Secret(line)
    del line
    if value is None:
        problem = "is too long to be typed" if is_cut else "is not valid UTF-8"
        raise InvalidValue(f"The value {problem}. Pipe it instead: askback secrets set NAME < FILE")
    return value
