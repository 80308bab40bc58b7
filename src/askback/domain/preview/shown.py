"""The preview of a call: its command, its change of a file, its plan, or its input as JSON, whole in each case."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic_core import to_json

from askback.domain.approval import PLAN_TOOL, Parts, Preview
from askback.domain.policy.calls import Call
from askback.domain.policy.digest import canonical
from askback.domain.preview.edits import file_edit
from askback.domain.preview.escapes import escaped, parts
from askback.domain.preview.room import room

HEADLINE = 320
"""Characters of a headline; of a longer one the end stays too, where a command hides what it does."""

INDENTED = 20_000
"""Characters of JSON up to which it is indented."""

_TAIL = 120


def preview(call: Call, *, before: str | None = None) -> Preview:
    """Show what a call would do; `before` is the file as the agent says it is now, for a tool that writes files.

    Everything that the input holds is in the preview. Raises `NotCanonical` where there is nothing to sign.
    """
    signed = canonical(call.tool, call.input)
    call = Call(**json.loads(signed))
    return (
        (_command(call) if call.shell else None)
        or (_file(call, before, size=len(signed)) if call.edits else None)
        or (_plan(call) if call.tool == PLAN_TOOL else None)
        or Preview(
            type="json",
            headline=_headline(f"{call.tool}: {json.dumps(call.input, ensure_ascii=False)}"),
            parts=parts(_pretty(call.input)),
        )
    )


def _command(call: Call) -> Preview | None:
    """Show the one command of a shell call; None when the input has none, or two."""
    given = call.shell_input
    command = call.input.get(given.command_key) if given.command_key else None
    argv = _vector(command)
    shown = _quoted(argv) if argv else command
    if not isinstance(shown, str):
        return None
    return Preview(
        type="command",
        headline=_headline(f"{call.tool}: {shown}"),
        parts=parts(shown),
        argv=argv is not None,
        folder=parts(str(call.input[given.folder_key]), line=True) if given.folder_key else None,
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
    """Quote an argument vector for a shell; None when that is mostly quotes, which JSON shows better."""
    quoted = shlex.join(argv)
    return quoted if len(quoted) <= 2 * sum(len(word) + len("'' ") for word in argv) else None


def _file(call: Call, before: str | None, *, size: int) -> Preview | None:
    edit = file_edit(call, before)
    if edit is None or len(to_json(edit.lines)) > room(size + len((before or "").encode())):
        return None
    return Preview(
        type="file",
        headline=_headline(f"{call.tool}: {edit.path} (+{edit.added} \N{MINUS SIGN}{edit.removed})"),
        path=parts(edit.path, line=True),
        diff=edit.lines,
        rest=_rest(edit.rest),
    )


def _plan(call: Call) -> Preview | None:
    plan = call.input.get("plan")
    if not isinstance(plan, str):
        return None
    return Preview(
        type="plan",
        headline=_headline(f"{call.tool}: {' '.join(plan.split())}"),
        parts=parts(plan),
        rest=_rest(call.input, "plan"),
    )


def _rest(given: Mapping[str, Any], *shown: str | None) -> Parts | None:
    left = {name: value for name, value in given.items() if name not in shown}
    return parts(_pretty(left)) if left else None


def _pretty(value: object) -> str:
    """Write JSON an item a line, indented only when it is small: by its depth it can grow thirtyfold."""
    plain = json.dumps(value, ensure_ascii=False, separators=(",\n", ": "))
    return plain if len(plain) > INDENTED else json.dumps(value, ensure_ascii=False, indent=2)


def _headline(text: str) -> str:
    """Write a text on one line; of a long one only the ends, which are all that is looked at."""
    shown = escaped(text[: HEADLINE + 1])
    if len(text) <= HEADLINE and len(shown) <= HEADLINE:
        return shown
    return f"{shown[: HEADLINE - _TAIL - 1]}…{escaped(text[-_TAIL:])[-_TAIL:]}"
