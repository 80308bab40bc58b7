"""The complete preview of a call: a command, a change of a file, an email, a request, a query, a plan, or its input."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic_core import to_json

from askback.domain.approval import PLAN_TOOL, Preview, Role
from askback.domain.policy.calls import Call
from askback.domain.policy.digest import canonical_bytes
from askback.domain.policy.risks import risky_texts
from askback.domain.preview.edits import file_edit
from askback.domain.preview.escapes import escape_line, escape_parts
from askback.domain.preview.fields import MAX_FIELDS, fields_of, pretty
from askback.domain.preview.headlines import (
    Headline,
    command_headline,
    edit_headline,
    plan_headline,
    recognized_headline,
    tool_headline,
)
from askback.domain.preview.hunks import size_budget
from askback.domain.preview.recognition import recognize


def preview(call: Call, *, before: str | None = None) -> Preview:
    """Return the preview of a call; `before` is the current file according to the agent, for a tool that writes files.

    The preview contains the whole input. Raises `NotCanonical` if the call has no digest.
    """
    canonical_call = canonical_bytes(call.tool, call.input)
    call = Call(**json.loads(canonical_call), cwd=call.cwd)
    is_recognized = (
        (_command_preview(call) if call.is_shell else None)
        or (_file_preview(call, before) if call.is_edit else None)
        or (_plan_preview(call) if call.tool == PLAN_TOOL else None)
        or _input_preview(call)
    )
    budget = size_budget(len(canonical_call) + len((before or "").encode()))
    if is_recognized is not None and len(to_json(is_recognized)) <= budget:
        return is_recognized
    return Preview(
        type="json", parts=escape_parts(pretty(call.input)), **_headline_members(tool_headline(call))
    )


def _headline_members(headline: Headline) -> dict[str, Any]:
    return {"headline": str(headline), "headline_code": headline.data}


def _command_preview(call: Call) -> Preview | None:
    """Show the command of a shell call and its folder, the adapter's if the input has none.

    Returns None unless the input has exactly one command.
    """
    call_input = call.shell_input
    command = call.input.get(call_input.command_key) if call_input.command_key else None
    argv = _argv_of(command)
    command_text = _quote_argv(argv) if argv else command
    if not isinstance(command_text, str):
        return None
    other_members = _other_members(call.input, call_input.command_key, call_input.folder_key)
    folder = call.input[call_input.folder_key] if call_input.folder_key else call.cwd
    return Preview(
        type="command",
        parts=escape_parts(command_text),
        argv=argv is not None,
        marks=[text for text in risky_texts(call) if text in command_text and text == escape_line(text)],
        folder=None if folder is None else escape_parts(str(folder), line=True),
        **_remaining_members(other_members),
        **_headline_members(command_headline(command_text)),
    )


def _argv_of(call_input: object) -> list[str] | None:
    argv = cast("list[object]", call_input) if isinstance(call_input, list) else []
    return (
        [word for word in argv if isinstance(word, str)]
        if argv and all(isinstance(w, str) for w in argv)
        else None
    )


def _quote_argv(argv: Sequence[str]) -> str | None:
    """Quote an argument vector for a shell; None if that is mostly quotes, which JSON shows better."""
    quoted = shlex.join(argv)
    return quoted if len(quoted) <= 2 * sum(len(word) + len("'' ") for word in argv) else None


def _file_preview(call: Call, before: str | None) -> Preview | None:
    edit = file_edit(call, before)
    if edit is None:
        return None
    return Preview(
        type="file",
        path=escape_parts(edit.path, line=True),
        diff=edit.lines,
        whole=edit.whole,
        added=edit.added,
        removed=edit.removed,
        **_remaining_members(edit.other_members),
        **_headline_members(
            edit_headline(edit.path, added=edit.added, removed=edit.removed, writes=edit.whole and not before)
        ),
    )


def _plan_preview(call: Call) -> Preview | None:
    plan = call.members.get("plan")
    if not isinstance(plan, str):
        return None
    other_members = _other_members(call.input, "plan")
    return Preview(
        type="plan",
        parts=escape_parts(plan),
        **_remaining_members(other_members),
        **_headline_members(plan_headline(plan)),
    )


def _input_preview(call: Call) -> Preview | None:
    """Show an input as names and values; None if it is no object, or has too many members."""
    if not call.has_members or len(call.members) > MAX_FIELDS:
        return None
    recognized_call = recognize(call)
    if recognized_call is None:
        return Preview(
            type="table", fields=fields_of(call.members, {}), **_headline_members(tool_headline(call))
        )
    roles: dict[str, Role] = {key: role for role, key in recognized_call.keys.items()}
    return Preview(
        type=recognized_call.kind,
        fields=fields_of(call.members, roles),
        **_headline_members(recognized_headline(call, recognized_call)),
    )


def _remaining_members(members: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rest of an input as fields; as JSON if it has too many members."""
    if len(members) > MAX_FIELDS:
        return {"rest": escape_parts(pretty(members))}
    return {"fields": fields_of(members, {})}


def _other_members(call_input: Mapping[str, Any], *keys: str | None) -> dict[str, Any]:
    return {name: value for name, value in call_input.items() if name not in keys}
