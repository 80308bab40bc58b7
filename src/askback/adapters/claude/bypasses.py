"""Refuse calls while a PermissionRequest hook could decide about them, and stop a session in which one has."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from askback.adapters.claude.hooks import Json
from askback.adapters.claude.permission_hooks import PermissionHooks

_USING_COMPONENTS = frozenset({"Agent", "Task", "Skill"})
"""The tools that put the hooks of a sub-agent, command or skill into force."""

_REFUSED = "The tool {tool} was not run: {problem} Tell the person, and do not call tools until then."
_BYPASSED = (
    "The call {call_id} of the tool {tool} ran although askback had not approved it. Something else decided about it, "
    "such as a PermissionRequest hook of Claude Code: find and remove it. The session ends here."
)

_log = logging.getLogger(__name__)


class Bypasses:
    """What could decide, or has decided, about the calls of one session instead of askback."""

    def __init__(self, hooks: PermissionHooks | None) -> None:
        """Without `hooks` every call may run."""
        self._hooks = hooks
        self._unapproved_ids = set[str]()
        """Calls that have begun and are not approved."""
        self._found: str | None = None
        """The sentence about a call that ran without approval."""

    def move(self, folder: Path) -> None:
        """Look in the folder of a session that is resumed; raises `UnusableOptions`."""
        if self._hooks is not None:
            self._hooks.move(folder)
            self._hooks.check()

    async def refusal(self, tool: str) -> str | None:
        """Return why a call must not be asked about, or None."""
        if self._hooks is None:
            return None
        problem = self._found or next(self._hooks.changed_problems(), None)
        if problem is None and tool in _USING_COMPONENTS:
            problem = await asyncio.to_thread(next, self._hooks.component_problems(), None)
        if problem is None:
            return None
        _log.error("askback refused a call of %s: %s", tool, problem)
        return _REFUSED.format(tool=tool, problem=problem)

    def expect(self, call_id: str) -> None:
        """Note that a call needs approval."""
        self._unapproved_ids.add(call_id)

    def forget(self, call_id: str) -> None:
        """Note that a call may run, or is over."""
        self._unapproved_ids.discard(call_id)

    def after(self, event: Json) -> Json | None:
        """Return the output of a hook that ends the session if the call of its event has run without approval."""
        call_id = event["tool_use_id"]
        if self._hooks is None or call_id not in self._unapproved_ids:
            return None
        self._unapproved_ids.discard(call_id)
        self._found = _BYPASSED.format(tool=event["tool_name"], call_id=call_id)
        _log.error("%s", self._found)
        return {"continue_": False, "stopReason": self._found}
