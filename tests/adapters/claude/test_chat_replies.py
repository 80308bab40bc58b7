"""What the person reads in `askback chat` with Claude if a reply is not streamed, is cut, or fails; and its commands."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from askback import AsyncClient
from askback.adapters.claude.replies import CUT as CUT_NOTE
from askback.adapters.claude.replies import WRONG_KEY
from askback.chat.claude_agent import CLEARED_NOTE
from askback.chat.turn import EMPTY_REPLY
from tests.adapters.claude.fake_model import CUT, Block, Blocks, FakeModel, refusal
from tests.adapters.claude.test_chat import start_chat, trust, wait_for_text
from tests.adapters.claude.test_permission_hooks import PROJECT, write

__all__ = ["start_chat"]

StartChat = Callable[[], Any]


def texts(thread: dict[str, Any]) -> list[str]:
    """The texts of the agent after the last message of the person, and the names of its calls."""
    messages = thread["messages"]
    last = max(index for index, message in enumerate(messages) if message["role"] == "user")
    return [
        part["text"] if part["type"] == "text" else part["name"]
        for message in messages[last + 1 :]
        for part in message["content"]
    ]


def prompts(body: str) -> list[str]:
    """The texts of the person in a request to the model."""
    messages = [item for item in json.loads(body)["messages"] if item["role"] == "user"]
    contents = [
        [{"text": item["content"]}] if isinstance(item["content"], str) else item["content"]
        for item in messages
    ]
    return [
        part["text"]
        for part in sum(contents, [])
        if "<system-reminder>" not in part.get("text", "<system-reminder>")
    ]


def tries(*replies: Blocks) -> Callable[[Mapping[str, Any]], Blocks]:
    """The reply of each try, the last one again and again."""
    number = count()
    return lambda _: replies[min(next(number), len(replies) - 1)]


def unstreamed(blocks: Blocks, *streamed: Block | str) -> Callable[[Mapping[str, Any]], Blocks]:
    """Reply differently to a request for a stream."""
    return lambda body: streamed if body.get("stream") else blocks


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        (
            unstreamed(["The first half, and the second."], "The first ha", CUT),
            ["The first half, and the second."],
        ),
        (unstreamed(["Something else."], "The first ha", CUT), ["The first ha", CUT_NOTE, "Something else."]),
        (tries(["One.", "The first ha", CUT], ["Again."]), ["One.The first ha", CUT_NOTE, "Again."]),
        (tries(["The first ha", CUT], ["The first half."]), ["The first half."]),
        (unstreamed(["A whole one."], refusal(404, "not_found_error")), ["A whole one."]),
        (tries([""]), [EMPTY_REPLY]),
    ],
    ids=["cut", "cut and different", "cut after a block", "cut once", "no streaming", "empty"],
)
async def test_a_reply_is_shown_once_and_whole(
    start_chat: StartChat,
    person: AsyncClient,
    thread: str,
    model: FakeModel,
    turn: Callable[[Any], Blocks],
    expected: list[str],
) -> None:
    model.play("hello", turn, turn)
    with start_chat():
        await person.say("hello", thread_id=thread)
        assert texts(await wait_for_text(person, thread, expected[-1])) == expected


async def test_the_output_of_a_command_is_shown(
    start_chat: StartChat, person: AsyncClient, thread: str, model: FakeModel
) -> None:
    model.play("hello", ["Hello, too."])
    with start_chat():
        await person.say("hello", thread_id=thread)
        await wait_for_text(person, thread, "Hello, too.")
        await person.say("/help", thread_id=thread)
        await wait_for_text(person, thread, "/help isn't available in this environment.")
        await person.say("/compact", thread_id=thread)
        await wait_for_text(person, thread, "Compacted")


@pytest.mark.parametrize("restarts", [False, True])
async def test_claude_answers_after_clear_and_remembers_nothing(
    start_chat: StartChat, person: AsyncClient, thread: str, model: FakeModel, restarts: bool
) -> None:
    model.play("first", ["Noted."])
    model.play("second", ["This is new."])
    model.play("third", ["And this."])
    with start_chat():
        await person.say("the first thing", thread_id=thread)
        await wait_for_text(person, thread, "Noted.")
        await person.say("/clear", thread_id=thread)
        await wait_for_text(person, thread, CLEARED_NOTE)
        if not restarts:
            await person.say("the second thing", thread_id=thread)
            await wait_for_text(person, thread, "This is new.")
    if restarts:
        await person.say("the second thing", thread_id=thread)
    with start_chat():
        await wait_for_text(person, thread, "This is new.")
        await person.say("the third thing", thread_id=thread)
        await wait_for_text(person, thread, "And this.")
    assert "second" in model.received[-1]
    assert "first" not in "".join(prompts(model.received[-1]))


async def test_a_clear_that_the_next_message_stops_clears_as_well(
    start_chat: StartChat, person: AsyncClient, thread: str, model: FakeModel
) -> None:
    model.play("first", ["Noted."])
    model.play("second", ["This is new."])
    with start_chat():
        await person.say("the first thing", thread_id=thread)
        await wait_for_text(person, thread, "Noted.")
        await person.say("/clear", thread_id=thread)
        await person.say("the second thing", thread_id=thread)
        await wait_for_text(person, thread, "This is new.")
    assert "first" not in "".join(prompts(model.received[-1]))


async def test_a_command_is_sent_alone_and_what_was_not_read_follows_it(
    start_chat: StartChat, person: AsyncClient, thread: str, model: FakeModel
) -> None:
    model.play("hello", ["Hello, too."])
    model.play("and the door", ["Both painted."])
    with start_chat():
        await person.say("hello", thread_id=thread)
        await wait_for_text(person, thread, "Hello, too.")
        await person.say("Paint the wall", thread_id=thread)
        await person.say("/help", thread_id=thread)
        await wait_for_text(person, thread, "/help isn't available in this environment.")
        await person.say("and the door", thread_id=thread)
        await wait_for_text(person, thread, "Both painted.")
    assert prompts(model.received[-1])[-1] == "Paint the wall\n\nand the door"


@pytest.mark.parametrize(("first", "prompt"), [("hello", "This is blocked"), (None, "user: This is blocked")])
async def test_a_message_that_claude_code_refuses_is_not_repeated(
    start_chat: StartChat,
    person: AsyncClient,
    thread: str,
    model: FakeModel,
    project: Path,
    first: str | None,
    prompt: str,
) -> None:
    hook = {"type": "command", "command": "grep -q blocked && echo No. >&2 && exit 2; true"}
    settings = {"hooks": {"UserPromptSubmit": [{"hooks": [hook]}]}}
    write(project.parent, {f"{PROJECT}/settings.json": settings, **trust(project)})
    model.play("hello", ["Hello, too."])
    model.play("go on", ["Going on."])
    with start_chat():
        if first:
            await person.say(first, thread_id=thread)
            await wait_for_text(person, thread, "Hello, too.")
        await person.say("This is blocked", thread_id=thread)
        note = f"UserPromptSubmit operation blocked by hook: [{hook['command']}]: No."
        await wait_for_text(person, thread, f"`{note} Original prompt: {prompt}`")
        await person.say("go on", thread_id=thread)
        await wait_for_text(person, thread, "Going on.")
    assert prompts(model.received[-1])[-1].removeprefix("user: ") == "go on"
    assert "blocked" not in "".join(prompts(model.received[-1]))


async def test_a_wrong_key_ends_the_turn_with_what_to_do(
    start_chat: StartChat, person: AsyncClient, thread: str, model: FakeModel
) -> None:
    model.play("hello", tries([refusal(401, "authentication_error")]))
    with start_chat():
        await person.say("hello", thread_id=thread)
        await wait_for_text(person, thread, f"I had to stop. {WRONG_KEY}")


async def test_the_person_reads_when_claude_tries_again(
    start_chat: StartChat, person: AsyncClient, thread: str, model: FakeModel
) -> None:
    model.play("hello", tries([refusal(429, "rate_limit_error", retry_after="2")], ["Now it works."]))
    with start_chat():
        await person.say("hello", thread_id=thread)
        found = await wait_for_text(person, thread, "Now it works.")
    note, _ = texts(found)
    assert note.startswith(
        "*The model's API failed (`rate_limit`). Claude tries again in 2 seconds (attempt 1 of"
    )


async def test_an_error_of_the_api_is_code_and_without_the_key(
    start_chat: StartChat, person: AsyncClient, thread: str, model: FakeModel
) -> None:
    model.play("hello", tries([refusal(400, "about no-key at http://example.com")]))
    with start_chat():
        await person.say("hello", thread_id=thread)
        text = "API Error: 400 This is about [API key] at http://example.com."
        await wait_for_text(person, thread, f"I had to stop. Claude Code ended with an error: `{text}`")
