"""Parses the escapes of a preview; see `askback.domain.preview.escapes`."""

from __future__ import annotations

import re

from askback.domain.approval import Parts

_TOKEN = re.compile(
    r"(?:\\(?P<short>[nrt])|\\(?:u(?P<code>[0-9a-f]{4})|U(?P<long>[0-9a-f]{8})))(?:×(?P<count>[0-9]+))?"
    r"|%(?P<byte>[0-9a-f]{2})|%u(?P<wide>[0-9a-f]{4})|%U(?P<widest>[0-9a-f]{8})"
    r"|(?P<itself>[^\\%×\n\t])",
)
_SHORT = {"n": "\n", "r": "\r", "t": "\t"}


def text_of(parts: Parts | None) -> str:
    """Read a text back from its parts; raises ValueError if an escape is not valid."""
    return "".join(part if isinstance(part, str) else _read(part.escape) for part in parts or ())


def _read(escape: str) -> str:
    result = list(_TOKEN.finditer(escape))
    if "".join(token[0] for token in result) != escape:
        raise ValueError(escape)
    return "".join(_char(token) * int(token["count"] or 1) for token in result)


def _char(token: re.Match[str]) -> str:
    codes = [token[name] for name in ("code", "long", "byte", "wide", "widest") if token[name]]
    return chr(int(codes[0], 16)) if codes else token["itself"] or _SHORT[token["short"]]
