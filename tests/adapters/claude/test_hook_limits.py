"""Texts for Claude stay below the length from which Claude Code keeps only their beginning."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from askback import AsyncClient
from askback.adapters.claude import with_askback
from askback.adapters.claude.hooks import MAX_CONTEXT, context_length, cut
from askback.adapters.claude.replays import repeated_result
from tests.adapters.claude.conftest import Options, run, wait_for_request
from tests.adapters.claude.fake_model import FakeModel
from tests.adapters.claude.test_approvals import touch


@pytest.mark.parametrize("character", ["x", "\N{GRINNING FACE}"])
def test_a_long_text_is_cut_and_says_how_much_is_missing(character: str) -> None:
    text = character * MAX_CONTEXT * 2
    assert context_length(cut(text)) <= MAX_CONTEXT
    kept, _, missing = cut(text).partition("… (")
    number = int(missing.split(" ")[0])
    assert context_length(kept) + number == context_length(text)


def test_a_text_that_fits_is_unchanged() -> None:
    assert cut("x" * MAX_CONTEXT) == "x" * MAX_CONTEXT


def test_a_repeated_result_is_cut_to_the_room_that_is_left() -> None:
    event: dict[str, Any] = {
        "transcript_path": "/nowhere",
        "tool_use_id": "toolu_a",
        "tool_name": "Bash",
        "tool_input": {"command": "y" * 9_000},
        "tool_response": "z" * 15_000,
    }
    text = repeated_result(event, 5_000)
    assert 4_900 < context_length(text) <= 5_000
    assert text.endswith("more characters are left out here)")


async def test_claude_reads_the_beginning_of_a_long_change_and_the_note(
    agent: AsyncClient, person: AsyncClient, model: FakeModel, options: Options, thread: str
) -> None:
    model.play("go", [touch()])
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run, with_askback(options(), agent, thread_id=thread), "go")
        edited = {"command": f"touch changed # {'y' * 15_000}"}
        request = await wait_for_request(person, thread)
        await person.requests.decide(request, "approve", edited_input=edited, note="Because of the release.")
    last_body = model.received[-1]
    assert "touch changed" in last_body
    assert "more characters are left out here" in last_body
    assert "Because of the release." in last_body
    assert "persisted-output" not in last_body
