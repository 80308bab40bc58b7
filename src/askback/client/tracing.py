"""Send the OpenTelemetry trace of the program with its requests, and continue it in a resume."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from askback.domain.tracing import trace_parts, write_trace


def current_trace() -> str:
    """Return the context of the current span, or nothing.

    A program that uses tracing has already imported OpenTelemetry; otherwise nothing is imported.
    """
    trace: Any = sys.modules.get("opentelemetry.trace")
    if trace is None:
        return ""
    span = trace.get_current_span().get_span_context()
    return write_trace(span.trace_id, span.span_id, span.trace_flags) if span.is_valid else ""


@contextmanager
def continue_trace(trace: str | None) -> Generator[None]:
    """Let spans of the block belong to a trace that was begun elsewhere."""
    parts = trace_parts(trace or "")
    api: Any = sys.modules.get("opentelemetry.trace")
    if parts is None or api is None:
        yield
        return
    context: Any = sys.modules["opentelemetry.context"]
    trace_id, span_id, flags = parts
    remote = api.SpanContext(trace_id, span_id, is_remote=True, trace_flags=api.TraceFlags(flags))
    token = context.attach(api.set_span_in_context(api.NonRecordingSpan(remote)))
    try:
        yield
    finally:
        context.detach(token)
