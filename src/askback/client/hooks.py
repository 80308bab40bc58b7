"""The agent's own checks, which may refuse a tool call that all other checks allow."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from copy import deepcopy
from inspect import isawaitable
from typing import Any, cast

Hook = Callable[[str, Any], str | Awaitable[str | None] | None]
"""Takes a tool's name and its input; returns why the call must not run, or None.

It runs on the client's event loop and must not block it.
"""

_log = logging.getLogger(__name__)


async def find_refusal(hooks: Iterable[Hook], tool: str, call_input: object) -> str | None:
    """Return the first reason of a hook to refuse a call, or None. A hook that fails refuses it.

    Each hook gets a copy of the input, so that changing it has no effect.
    """
    copied = dict(cast("Mapping[str, Any]", call_input)) if isinstance(call_input, Mapping) else call_input
    for hook in hooks:
        name = getattr(hook, "__name__", type(hook).__name__)
        try:
            result = hook(tool, deepcopy(copied))
            reason = await result if isawaitable(result) else result
        except Exception as error:  # noqa: BLE001 - a check that fails must not let the call through
            _log.warning("the check %s failed, so %s is refused", name, tool, exc_info=True)
            return f"The check {name} failed ({type(error).__name__})."
        if reason is not None:
            return _sentence(reason) or f"The check {name} refuses it."
    return None


def _sentence(reason: object) -> str:
    """Return the text of a refusal; any value other than a text or None refuses without a text."""
    return reason.strip() if isinstance(reason, str) else ""
