"""A server with planted leaks, one for each name of a secret, to prove that the harness finds them.

Run as `python planted.py --port … --data-dir … --ready-json`.
"""

from __future__ import annotations

import base64
import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from askback.cli.main import main
from askback.domain import jsontext
from askback.domain.faults import Faults, fault
from askback.domain.secrets.secret import RawBody, Secret
from askback.domain.validation.secret import Submission
from askback.ports.vault import Binding
from askback.transports import http
from askback.vault.envelope import Envelope

_log = logging.getLogger("askback.planted")


def leak_to_process(value: str) -> None:
    # It ends with this server, which holds the other end of its input.
    environ = {**os.environ, "VALUE": value}
    subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environ)


def leak_as_argument(value: str) -> None:
    nowhere = subprocess.DEVNULL
    subprocess.Popen(["cat", "-", value], stdin=subprocess.PIPE, stdout=nowhere, stderr=nowhere)


def leak_to_file(value: str) -> None:
    Path(tempfile.gettempdir(), "askback-debug").write_text(value)


LEAKS: Mapping[str, Callable[[str], object]] = {
    "LOGGED": lambda value: _log.debug("sealing %s", value),
    "LOGGED_IN_BASE64": lambda value: _log.debug("got %s", base64.b64encode(f"x:{value}".encode())),
    "LOGGED_IN_PART": lambda value: _log.debug("got %s…", value[:20]),
    "PRINTED": lambda value: print(value, flush=True),
    "IN_A_FILE": leak_to_file,
    "IN_AN_ENVIRONMENT": leak_to_process,
    "IN_AN_ARGUMENT": leak_as_argument,
}
"""The leak of a secret's value when it is sealed, by name."""

STORED: Mapping[str, Callable[[str], str]] = {
    "STORED": lambda value: f"ab1.plain.{value}",
    "STORED_IN_HEX": lambda value: value.encode().hex(),
}
"""What is stored instead of the sealed text."""

_seal, _parse, _read_body = Envelope.seal, jsontext.parse, http.read_body
_names = Submission.names


async def seal(self: Envelope, binding: Binding, secret: Secret) -> str:
    """Seal, and leak some values."""
    if binding.name in LEAKS:
        LEAKS[binding.name](secret.reveal())
    if binding.name in STORED:
        return STORED[binding.name](secret.reveal())
    return await _seal(self, binding, secret)


def names(self: Submission) -> list[str]:
    """Leak the value among the names of the answer."""
    assert _names.fget is not None
    return [*_names.fget(self), *(v.reveal() for name, v in self.values.items() if name == "ANSWERED")]


def parse(body: bytes | str, **options: Any) -> object:
    """Show an unreadable body in its fault."""
    try:
        return _parse(body, **options)
    except Faults:
        raise Faults([fault(str(body), "malformed_json")]) from None


async def read_body(*args: Any, **options: Any) -> RawBody:
    """Write some bodies into the log."""
    body = await _read_body(*args, **options)
    raw = body.read(bytes)
    if b"IN_A_BODY" in raw:
        _log.debug("body: %r", raw)
    return body


def plant() -> None:
    """Plant the leaks and serve."""
    Envelope.seal = seal
    setattr(Submission, "names", property(names))  # it has no setter on purpose
    jsontext.parse = parse
    http.read_body = read_body
    sys.argv[1:1] = ["serve"]
    main()


if __name__ == "__main__":
    plant()
