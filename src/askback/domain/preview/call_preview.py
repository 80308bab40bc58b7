"""The complete preview of a call: its command, its change of a file, its plan, or its input as JSON."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic_core import to_json

from askback.domain.approval import PLAN_TOOL, Parts, Preview
from askback.domain.policy.calls import Call
from askback.domain.policy.digest import canonical_bytes
from askback.domain.preview.edits import file_edit
from askback.domain.preview.escapes import escape_line, escape_parts
from askback.domain.preview.hunks import size_budget

HEADLINE = 320
"""The maximum length of a headline in characters; a longer text keeps its end, where a command may hide its effect."""

INDENTED = 20_000
"""The maximum length of JSON that is indented, in characters."""

_TAIL = 120


def preview(call: Call, *, before: str | None = None) -> Preview:
    """Return the preview of a call; `before` is the current file according to the agent, for a tool that writes files.

    The preview contains the whole input. Raises `NotCanonical` if the call has no digest.
    """
    signed = canonical_bytes(call.tool, call.input)
    call = Call(**json.loads(signed))
    return (
        (_command(call) if call.is_shell else None)
        or (_file(call, before, size=len(signed)) if call.is_edit else None)
        or (_plan(call) if call.tool == PLAN_TOOL else None)
        or Preview(
            type="json",
            headline=_headline(f"{call.tool}: {json.dumps(call.input, ensure_ascii=False)}"),
            parts=escape_parts(_pretty(call.input)),
        )
    )


def _command(call: Call) -> Preview | None:
    """Show the command of a shell call; None unless the input has exactly one."""
    given = call.shell_input
    command = call.input.get(given.command_key) if given.command_key else None
    argv = _vector(command)
    shown = _quoted(argv) if argv else command
    if not isinstance(shown, str):
        return None
    return Preview(
        type="command",
        headline=_headline(f"{call.tool}: {shown}"),
        parts=escape_parts(shown),
        argv=argv is not None,
        folder=escape_parts(str(call.input[given.folder_key]), line=True) if given.folder_key else None,
        rest=_rest(call.input, given.command_key, given.folder_key),
    )


def _vector(given: object) -> list[str] | None:
    found = cast("list[object]", given) if isinstance(given, list) else []
    return (
        [word for word in found if isinstance(word, str)]
        if found and all(isinstance(w, str) for w in found)
        else None
    )


def _quoted(argv: Sequence[str]) -> str | None:
    """Quote an argument vector for a shell; None if that is mostly quotes, which JSON shows better."""
    quoted = shlex.join(argv)
    return quoted if len(quoted) <= 2 * sum(len(word) + len("'' ") for word in argv) else None


def _file(call: Call, before: str | None, *, size: int) -> Preview | None:
    edit = file_edit(call, before)
    if edit is None or len(to_json(edit.lines)) > size_budget(size + len((before or "").encode())):
        return None
    return Preview(
        type="file",
        headline=_headline(f"{call.tool}: {edit.path} (+{edit.added} \N{MINUS SIGN}{edit.removed})"),
        path=escape_parts(edit.path, line=True),
        diff=edit.lines,
        rest=_rest(edit.rest),
    )


def _plan(call: Call) -> Preview | None:
    plan = call.members.get("plan")
    if not isinstance(plan, str):
        return None
    return Preview(
        type="plan",
        headline=_headline(f"{call.tool}: {' '.join(plan.split())}"),
        parts=escape_parts(plan),
        rest=_rest(call.input, "plan"),
    )


def _rest(given: Mapping[str, Any], *shown: str | None) -> Parts | None:
    left = {name: value for name, value in given.items() if name not in shown}
    return escape_parts(_pretty(left)) if left else None


def _pretty(value: object) -> str:
    """Write JSON with an item on each line, indented only if it is short: indentation can make it much longer."""
    plain = json.dumps(value, ensure_ascii=False, separators=(",\n", ": "))
    return plain if len(plain) > INDENTED else json.dumps(value, ensure_ascii=False, indent=2)


def _headline(text: str) -> str:
    """Write a text on one line; only its ends are read, so a long text is not processed as a whole."""
    shown = escape_line(text[: HEADLINE + 1])
    if len(text) <= HEADLINE and len(shown) <= HEADLINE:
        return shown
    return f"{shown[: HEADLINE - _TAIL - 1]}…{escape_line(text[-_TAIL:])[-_TAIL:]}"
