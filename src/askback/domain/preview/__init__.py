"""The preview of a call, made from the same bytes as its digest, so that a person approves what they see."""

from __future__ import annotations

from askback.domain.preview.call_preview import preview
from askback.domain.preview.escapes import escape_line, escape_parts, reason_data

__all__ = ["escape_line", "escape_parts", "preview", "reason_data"]
