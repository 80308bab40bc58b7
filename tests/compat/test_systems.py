"""The five systems side by side: each can be removed, and what they say byte for byte is written once."""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.structure.tree import ROOT
from tests.transports.conftest import Api, api

__all__ = ["api"]
pytestmark = pytest.mark.anyio
SOURCE = ROOT / "src" / "askback"
PATHS = {
    "nebo": "/api/v1/chats/none",
    "ihub": "/api/tools",
    "gobby": "/api/conversations/c/interrupt",
    "agor": "/messages/none",
    "kcosr": "/api/plugins/questions/operations/ask",
}
"""A path of each system."""
SENTENCES = {
    "nebo": (
        "Interactive prompts require the web UI",
        "'prompt' (or 'text') is required for ask action",
        "No agent connected. Make sure nebo is running.",
        "context canceled",
        "context deadline exceeded",
        "unknown method: ",
    ),
    "ihub": (
        "Question is required and must be a string",
        "Invalid input_type. Supported types: ",
        "Options array is required for input_type '",
        "Too many options (max ",
        "Option at index {index} must be an object",
        "Option at index {index} must have a string label",
        "Option {name} at index {index} too long (max {max} chars)",
        "too long (max {max} chars, got {got})",
        "Regex pattern too long (max {max} characters)",
        "Regex pattern contains potentially unsafe nested quantifiers (ReDoS risk)",
        "Invalid regex pattern: ",
        "Invalid clarification request: ",
        "INVALID_CLARIFICATION_PARAMS",
        "CLARIFICATION_LIMIT_REACHED",
        ") reached for this conversation. ",
        "Please proceed with the available information or make reasonable assumptions.",
        "Clarification request sent to user. Waiting for response.",
        "awaiting_user_response",
        "not run: waiting for user",
        "Please answer the question above to continue",
        "[Skipped]",
    ),
    "gobby": (
        "User rejected tool call: ",
        "User requested changes to the plan. ",
        "Blocked by session lifecycle",
        "Timed out waiting for user response",
        "Unknown message type: ",
        "Invalid JSON format",
        " but no pending ",
        " for unknown conversation: ",
        "No plan file found. Write your plan to a .gobby/plans/*.md or .claude/plans/*.md file first, ",
    ),
    "agor": (
        "Authentication required to resolve a widget",
        " not found",
        " is not a widget request",
        "is not registered on this daemon. Update the daemon or use a known widget type.",
        "You need to be the session creator, a worktree owner, or have 'prompt' permission",
        "; cannot ",
        "' is resolved by '",
        "Invalid submit payload: ",
        "Required value or saved global value selection missing",
        "This env var was not requested",
        "Blocked by allow-list",
        "No saved value is set for this env var",
        "Cannot both submit and use existing value for ",
        " already configured. You can proceed.",
        "User chose: ",
        "Type values here, never paste them into chat.",
    ),
    "kcosr": (
        "This field is required.",
        "Must be at least {min} characters.",
        "Must be at most {max} characters.",
        "Select one or more options.",
        "Enter a valid text value.",
        "Please correct the highlighted fields.",
        "Interactive mode disabled — enable to respond.",
        "Interaction timed out",
        "User sent new message",
        "Approval required but no interactive client is available to respond.",
        "Input required but no interactive client is available to respond. Ask the user in chat.",
        "Interaction response did not match a pending request",
        "Questionnaire request was not found",
        "Questionnaire is no longer pending",
        " id must not be empty",
        " for a session that this connection is not subscribed to",
        "User denied execution of tool ",
        "Duplicate field id: ",
        '" requires options',
        'Invalid pattern for field "',
        "Tool execution aborted",
        "schema is required and must be an object",
        "<questionnaire-response ",
    ),
}
"""What the sources say, in as far as one place can hold it; the words of frames are part of their shapes."""


@pytest.mark.parametrize("name", PATHS)
async def test_removing_one_system_breaks_nothing_else(api: Api, name: str, monkeypatch: pytest.MonkeyPatch):
    users = [path for path in SOURCE.rglob("*.py") if name not in path.parts and name in _systems_of(path)]
    assert users == []
    monkeypatch.setitem(sys.modules, f"askback.compat.{name}", None)  # type: ignore[arg-type]
    nobody = api.client()
    statuses = {item: (await nobody.get(f"/compat/{item}{path}")).status_code for item, path in PATHS.items()}
    expected_statuses = {"gobby": 405, "kcosr": 405}  # these paths take a POST
    assert statuses == {item: 404 if item == name else expected_statuses.get(item, 401) for item in PATHS}


def test_a_sentence_of_a_source_is_written_once():
    places = {
        (system, sentence): [
            file_name
            for file_name, text in _texts()
            if sentence in text and (sentence != " not found" or system in file_name)
        ]
        for system, sentences in SENTENCES.items()
        for sentence in sentences
    }
    assert {sentence: found for sentence, found in places.items() if len(found) != 1} == {}


@cache
def _systems_of(path: Path) -> set[str]:
    """Return the systems that a file imports from."""
    source = path.read_bytes()
    if b"askback.compat" not in source:
        return set()
    findings = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)]
    modules = [f"{node.module}.{name.name}" for node in findings for name in node.names]
    return {module.split(".")[2] for module in modules if module.startswith("askback.compat.")}


@cache
def _texts() -> tuple[tuple[str, str], ...]:
    """Return every text of the program that is no docstring, with its place, and each English message."""
    texts = list[tuple[str, str]]()
    for path in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(path.read_bytes())
        docstring_ids = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                docstring_ids |= {id(part) for part in node.values}
                texts.append((f"{path}:{node.lineno}", _format(node)))
            elif (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and id(node) not in docstring_ids
            ):
                texts.append((f"{path}:{node.lineno}", node.value))
    for path in (SOURCE / "messages" / "en.json", *sorted((SOURCE / "compat").glob("*/texts.json"))):
        texts += [(f"{path}:{text}", text) for text in _strings(json.loads(path.read_text(encoding="utf-8")))]
    return tuple(texts)


def _strings(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict() | list():
            for item in value.values() if isinstance(value, dict) else value:
                yield from _strings(item)
        case _:
            pass


def _format(node: ast.JoinedStr) -> str:
    parts = (
        part.value if isinstance(part, ast.Constant) else f"{{{ast.unparse(part)[3:-2]}}}"
        for part in node.values
    )
    return "".join(map(str, parts))
