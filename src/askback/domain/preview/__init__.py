"""What a person is shown of a call, made from the very bytes that are digested: what is seen is what is signed."""

from __future__ import annotations

from askback.domain.preview.characters import parts
from askback.domain.preview.shown import preview

__all__ = ["parts", "preview"]
