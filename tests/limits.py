"""Limits for a server that many tests share, with more requests and answers than in real use."""

from __future__ import annotations

from dataclasses import replace

from askback.domain.limits import DEFAULTS

_MANY = 10**9
_NAMES = (
    "max_pending",
    "max_pending_per_agent",
    "max_submissions_per_minute",
    "max_messages_per_hour",
    "max_wrong_tokens_per_minute",
)

ROOMY = replace(DEFAULTS, **dict.fromkeys(_NAMES, _MANY))
ROOMY_SETTING = {"ASKBACK_LIMITS": ",".join(f"{name}={_MANY}" for name in _NAMES)}
"""The same for the environment of `askback serve`."""
