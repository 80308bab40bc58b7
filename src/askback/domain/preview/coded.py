"""The reasons of the policy as data that is safe to show in any language."""

from __future__ import annotations

from typing import Any

from askback.domain.policy.reasons import Reason
from askback.domain.preview.escapes import escaped


def coded(text: str) -> dict[str, Any]:
    """Return a reason as data: `{"code", "params"}`; one without a code of its own is `text`."""
    if not isinstance(text, Reason):
        return {"code": "text", "params": {"text": escaped(text)}}
    return {
        "code": text.code,
        "params": {
            name: coded(value) if isinstance(value, Reason) else escaped(value)
            for name, value in text.params.items()
        },
    }
