"""The agent's own checks, which may refuse a tool call that all other checks allow."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from copy import deepcopy
from inspect import isawaitable
from typing import Any

Hook = Callable[[str, dict[str, Any]], str | Awaitable[str | None] | None]
"""Takes a tool's name and its input; returns why the call must not run, or None.

It runs on the client's event loop and must not block it.
"""

_log = logging.getLogger(__name__)


async def objection(hooks: Iterable[Hook], tool: str, call_input: Mapping[str, Any]) -> str | None:
    """Return the first reason of a hook against a call, or None. A hook that fails is against it.

    Each hook gets a copy of the input: what it does to it changes nothing that is asked, shown or run.
    """
    for hook in hooks:
        name = getattr(hook, "__name__", type(hook).__name__)
        try:
            said = hook(tool, deepcopy(dict(call_input)))
            reason = await said if isawaitable(said) else said
        except Exception as error:  # noqa: BLE001 - whatever fails in a check must not let the call through
            _log.warning("the check %s failed, so %s is refused", name, tool, exc_info=True)
            return f"The check {name} failed ({type(error).__name__})."
        if reason is not None:
            return _sentence(reason) or f"The check {name} refuses it."
    return None


def _sentence(reason: object) -> str:
    """Return the text of a refusal; whatever a hook returns that is neither a text nor None is one without words."""
    return reason.strip() if isinstance(reason, str) else ""
