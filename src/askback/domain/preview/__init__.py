"""What a person is shown of a call, made from the very bytes that are digested: what is seen is what is signed."""

from __future__ import annotations

from askback.domain.preview.coded import coded
from askback.domain.preview.escapes import escaped, parts
from askback.domain.preview.shown import preview

__all__ = ["coded", "escaped", "parts", "preview"]
