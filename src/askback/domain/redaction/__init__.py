"""Redaction: values that a model must not read are replaced by their names, in every form that programs give them."""

from __future__ import annotations

from askback.domain.redaction.forms import MIN_LENGTH
from askback.domain.redaction.redactor import Redactor, redact
from askback.domain.redaction.stream import Stream

__all__ = ["MIN_LENGTH", "Redactor", "Stream", "redact"]
