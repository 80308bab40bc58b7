"""Redaction: replaces secret values by their names, in every form in which programs write them."""

from __future__ import annotations

from askback.domain.redaction.forms import MIN_LENGTH
from askback.domain.redaction.redactor import Redactor, redact
from askback.domain.redaction.stream import RedactedStream

__all__ = ["MIN_LENGTH", "RedactedStream", "Redactor", "redact"]
