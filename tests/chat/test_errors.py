"""What the person reads in `askback chat` if the model's endpoint fails, and what the model reads of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from askback import AsyncClient
from askback.chat.turn import EMPTY_REPLY
from tests.chat.conftest import Chat
from tests.chat.fake_endpoint import CUT, FakeEndpoint, call, fault, raw, refusal
from tests.chat.test_chat import asks, has_text, texts, wait_for_conversation


def error_of(thread: dict[str, Any]) -> str | None:
    """The error in the conversation."""
    return next((text for text in texts(thread) if text.startswith("I had to stop.")), None)


async def test_an_endpoint_that_fails_is_a_sentence_in_the_conversation(chat: Chat, eva: AsyncClient) -> None:
    with chat.running("--base-url", "http://127.0.0.1:9/v1"):
        await eva.say("Hello", thread_id="chat")
        error = await wait_for_conversation(eva, error_of)
    assert error.startswith("I had to stop. `http://127.0.0.1:9/v1/chat/completions` could not be used: `")


async def test_the_error_of_an_endpoint_is_code_without_the_key_and_the_model_does_not_read_it(
    chat: Chat, endpoint: FakeEndpoint, eva: AsyncClient
) -> None:
    endpoint.play("Hello", [refusal(401, '{"error": "`bad` key\\n {authorization}"}')])
    endpoint.play("Again", ["Good."])
    with chat.running():
        await eva.say("Hello", thread_id="chat")
        error = await wait_for_conversation(eva, error_of)
        await eva.say("Again", thread_id="chat")
        await wait_for_conversation(eva, has_text("Good."))
    address = f"{endpoint.url}/chat/completions"
    quoted = '``{"error": "`bad` key\\n Bearer [API key]"}``'
    assert error == f"I had to stop. `{address}` replied 401: {quoted}"
    assert "Hello" in json.dumps(endpoint.received[-1])
    assert "I had to stop." not in json.dumps(endpoint.received[-1])


async def test_the_password_in_the_address_of_an_endpoint_is_not_shown(chat: Chat, eva: AsyncClient) -> None:
    with chat.running("--base-url", "http://me:secret@127.0.0.1:9/v1"):
        await eva.say("Hello", thread_id="chat")
        error = await wait_for_conversation(eva, error_of)
    assert error.startswith("I had to stop. `http://127.0.0.1:9/v1/chat/completions` could not")
    assert "secret" not in error


async def test_an_empty_reply_is_a_sentence_in_the_conversation(
    chat: Chat, endpoint: FakeEndpoint, eva: AsyncClient
) -> None:
    endpoint.play("Hello", ["", "\n"])
    endpoint.play("Again", [call("Nope")], [])
    with chat.running():
        await eva.say("Hello", thread_id="chat")
        await wait_for_conversation(eva, has_text(EMPTY_REPLY))
        await eva.say("Again", thread_id="chat")
        await wait_for_conversation(eva, lambda thread: texts(thread).count(EMPTY_REPLY) == 2)
    assert EMPTY_REPLY not in json.dumps(endpoint.received)


async def test_an_error_in_the_middle_of_a_reply_is_a_sentence_in_the_conversation(
    chat: Chat, endpoint: FakeEndpoint, eva: AsyncClient
) -> None:
    endpoint.play("Hello", ["Good ", fault("The model is overloaded.")])
    await eva.say("Hello", thread_id="chat")
    with chat.running():
        conversation = await wait_for_conversation(
            eva, lambda thread: len(found := texts(thread)[-2:]) == 2 and found
        )
    assert conversation[0] == "Good "
    assert "The model is overloaded." in conversation[1]


@pytest.mark.parametrize("end", [CUT, raw('{"choices": [{"delta": {}, "finish_reason": "length"}]}')])
async def test_a_reply_that_is_cut_is_not_taken_for_a_whole_one(
    chat: Chat, endpoint: FakeEndpoint, eva: AsyncClient, end: dict[str, Any]
) -> None:
    endpoint.play("Hello", ["The first ", call("Bash", command="echo >> ran"), end])
    await eva.say("Hello", thread_id="chat")
    with chat.running():
        conversation = await wait_for_conversation(
            eva, lambda thread: (found := texts(thread)[-2:]) and "I had to stop" in found[-1] and found
        )
        assert not asks(await eva.threads.get("chat"))
    assert conversation[0] == "The first "
    assert "ended the reply too early" in conversation[1]
