"""W3C Trace Context: the trace that a call belongs to.

https://www.w3.org/TR/trace-context: `00-<trace id>-<span id>-<flags>`. Other values are ignored, as the
specification says.
"""

from __future__ import annotations

import re

HEADER = "traceparent"
_FORM = re.compile(r"00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})")


def read_trace(header: object) -> str:
    """Return a trace context, or an empty text if it is not valid."""
    return header if isinstance(header, str) and _FORM.fullmatch(header) else ""


def write_trace(trace_id: int, span_id: int, flags: int) -> str:
    """Write a trace context."""
    return f"00-{trace_id:032x}-{span_id:016x}-{flags:02x}"


def trace_parts(trace: str) -> tuple[int, int, int] | None:
    """Return the trace id, the span id and the flags of a trace context; None if it is not valid."""
    match = _FORM.fullmatch(trace)
    return None if match is None else (int(match[1], 16), int(match[2], 16), int(match[3], 16))
