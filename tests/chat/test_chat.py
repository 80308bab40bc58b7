"""`askback chat` with a fake of the endpoint: a person chats, is asked, approves and stops it; it survives kill -9."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from typing import Any

import anyio
import pytest

from askback import AsyncClient
from askback.chat.host import UNEXPECTED, Host
from askback.chat.turn import STOPPED_MARK, Turn
from askback.demo.processes import RunningServer
from tests.chat.conftest import Chat
from tests.chat.fake_endpoint import STOP, FakeEndpoint, call, raw
from tests.chat.secret_commands import assert_no_leak, new_value, print_secret

LIMIT_S = 120


async def wait_for_conversation(client: AsyncClient, holds: Callable[[dict[str, Any]], Any]) -> Any:
    """Wait until a condition of the conversation is true, and return it."""
    with anyio.fail_after(LIMIT_S):
        result = holds(await client.threads.get("chat"))
        if result:
            return result
        async for _ in client.events("chat", cursor=0):
            if result := holds(await client.threads.get("chat")):
                return result
    raise AssertionError


def texts(thread: dict[str, Any]) -> list[str]:
    """The texts of the agent."""
    parts = [
        part for message in thread["messages"] if message["role"] == "agent" for part in message["content"]
    ]
    return [part["text"] for part in parts if part["type"] == "text"]


def calls(thread: dict[str, Any]) -> list[dict[str, Any]]:
    """The tool calls."""
    return [part for message in thread["messages"] for part in message["content"] if part["type"] == "tool"]


def has_text(text: str) -> Callable[[dict[str, Any]], Any]:
    """Return a check for whether the agent has said a text."""
    return lambda thread: text in texts(thread)


def asks(thread: dict[str, Any]) -> Any:
    """The request that is open."""
    return next((request for request in thread["requests"] if request["status"] == "pending"), None)


async def test_a_question_an_approval_and_the_answer_of_the_model(
    chat: Chat, endpoint: FakeEndpoint, eva: AsyncClient
) -> None:
    endpoint.play(
        "Which licence?",
        ["I ", "ask.", call("ask_user", question="Which?", options=["MIT", "Apache"])],
        [call("Bash", command="echo MIT > LICENSE")],
        ["It is **MIT**."],
    )
    with chat.running():
        await wait_for_conversation(eva, lambda thread: thread["messages"])
        await eva.say("Which licence?", thread_id="chat")
        conversation = await wait_for_conversation(eva, asks)
        await eva.requests.answer(conversation["id"], {"answer": "MIT"})
        card = await wait_for_conversation(
            eva, lambda thread: (found := asks(thread)) and found["kind"] == "approval" and found
        )
        assert card["approval"]["input"] == {"command": "echo MIT > LICENSE"}
        assert not (chat.folder / "LICENSE").exists()
        await eva.requests.decide(card["id"], "approve")
        thread = await wait_for_conversation(
            eva, lambda thread: has_text("It is **MIT**.")(thread) and thread
        )
    assert (chat.folder / "LICENSE").read_text() == "MIT\n"
    assert [(item["name"], item["status"]) for item in calls(thread)] == [
        ("ask_user", "done"),
        ("Bash", "done"),
    ]
    assert [request["tool_call_id"] for request in thread["requests"]] == [
        item["tool_call_id"] for item in calls(thread)
    ]
    assert '"MIT"' in endpoint.results()[0]
    assert endpoint.keys[-1] == "Bearer the-key"


async def test_a_denied_command_does_not_run_and_the_model_reads_why(
    chat: Chat, endpoint: FakeEndpoint, eva: AsyncClient
) -> None:
    endpoint.play("Clean up", [call("Bash", command="rm -r build")], ["All right."])
    with chat.running():
        await eva.say("Clean up", thread_id="chat")
        await eva.requests.decide((await wait_for_conversation(eva, asks))["id"], "deny", note="Keep it.")
        thread = await wait_for_conversation(eva, lambda thread: has_text("All right.")(thread) and thread)
    assert calls(thread)[0]["status"] == "failed"
    assert "Keep it." in endpoint.results()[0]


async def test_a_link_that_leads_out_of_the_folder_is_not_followed_by_a_rule(
    chat: Chat, endpoint: FakeEndpoint, eva: AsyncClient
) -> None:
    (chat.folder.parent / "key").write_text("canary")
    (chat.folder / "notes.md").symlink_to("../key")
    endpoint.play("Read it", [call("Read", file_path="notes.md")], ["I cannot."])
    await eva.rules.create("tool:Read", scope="thread", thread_id="chat")
    with chat.running():
        await eva.say("Read it", thread_id="chat")
        await wait_for_conversation(eva, has_text("I cannot."))
    assert f"is a link to {chat.folder.parent / 'key'}" in endpoint.results()[0]
    assert "canary" not in endpoint.results()[0]


@pytest.mark.parametrize("known_by", ["folder", "environment"])
async def test_a_secret_for_a_command_never_reaches_the_model(
    chat: Chat, endpoint: FakeEndpoint, server: RunningServer, eva: AsyncClient, known_by: str
) -> None:
    if known_by == "environment":
        chat = Chat(chat.folder, server, endpoint)
    value = new_value()
    command = f"{print_secret()}; env"
    endpoint.play("Print it", [call("Bash", command=command)], ["Printed."])
    with chat.running():
        await wait_for_conversation(eva, lambda thread: thread["messages"])
        await eva.say("Print it", thread_id="chat")
        card = await wait_for_conversation(eva, asks)
        await eva.requests.decide(card["id"], "approve")
        with anyio.fail_after(LIMIT_S):
            async for event in eva.events("chat", cursor=0):  # the card is on the page of the chat
                if event["type"] == "request.created" and event["request"]["kind"] == "secret":
                    await eva.requests.submit(event["request"]["id"], {"SHOP_KEY": value.value})
                    break
        thread = await wait_for_conversation(eva, lambda thread: has_text("Printed.")(thread) and thread)
    assert (chat.folder / "used").read_text() == value.value
    assert_no_leak(value, endpoint.results()[0], [json.dumps(body) for body in endpoint.received])
    assert server.requester_token not in endpoint.results()[0]
    assert calls(thread)[0]["status"] == "done"
    credentials = re.findall(r"ASKBACK_CREDENTIALS=(\S+)", endpoint.results()[0])
    assert len(credentials) == (known_by == "environment")
    assert not any(map(os.path.exists, credentials))  # the chat was killed


async def test_a_conversation_without_a_title_gets_the_beginning_of_its_first_message(
    chat: Chat, endpoint: FakeEndpoint, eva: AsyncClient
) -> None:
    first_message = (
        "**Please**\nclean up the [project](https://e.org), all of it, and tell me what you have found"
    )
    endpoint.play(first_message, ["All right."])
    endpoint.play("Thanks", ["You are welcome."])
    with chat.running():
        await eva.say(first_message, thread_id="chat")
        await wait_for_conversation(eva, has_text("All right."))
        await eva.say("Thanks", thread_id="chat")
        thread = await wait_for_conversation(
            eva, lambda thread: has_text("You are welcome.")(thread) and thread
        )
    assert thread["title"] == "Please clean up the project, all of it, and tell me what yo…"


async def test_a_message_stops_the_turn_and_withdraws_its_question(
    chat: Chat, endpoint: FakeEndpoint, eva: AsyncClient
) -> None:
    endpoint.play("Begin", [call("ask_user", question="How?")])
    endpoint.play("Never mind", ["Stopped."])
    with chat.running():
        await eva.say("Begin", thread_id="chat")
        conversation = await wait_for_conversation(eva, asks)
        await eva.say("Never mind", thread_id="chat")
        thread = await wait_for_conversation(eva, lambda thread: has_text("Stopped.")(thread) and thread)
    assert (await eva.requests.get(conversation["id"])).status == "cancelled"
    assert calls(thread)[0]["status"] == "failed"


async def test_a_person_stops_a_reply_by_ending_its_run(
    chat: Chat, endpoint: FakeEndpoint, eva: AsyncClient
) -> None:
    endpoint.play("Write", ["The beginning", STOP, " and the end."])
    endpoint.play("And now?", ["Now this."])
    with chat.running():
        await eva.say("Write", thread_id="chat")
        await wait_for_conversation(eva, has_text("The beginning"))
        (run,) = await eva.runs.list("chat", running=True)
        ended = await eva.runs.end(run.id, thread_id="chat", reason="stopped", cancel=True)
        assert ended.reason == "stopped"
        await eva.say("And now?", thread_id="chat")
        thread = await wait_for_conversation(eva, lambda thread: has_text("Now this.")(thread) and thread)
    assert texts(thread)[-3:] == ["The beginning", STOPPED_MARK, "Now this."]
    assert endpoint.received[-1]["messages"][-1]["content"] == "And now?"


async def test_every_short_piece_is_shown_while_the_model_pauses(
    chat: Chat, endpoint: FakeEndpoint, eva: AsyncClient
) -> None:
    endpoint.play("Count", ["One,", STOP, " two,", STOP, " three."])
    with chat.running():
        await eva.say("Count", thread_id="chat")
        for shown_text in ("One,", "One, two,", "One, two, three."):
            await wait_for_conversation(eva, has_text(shown_text))
            endpoint.go_on()


async def test_a_command_ends_although_it_has_left_something_in_the_background(
    chat: Chat, endpoint: FakeEndpoint, eva: AsyncClient
) -> None:
    endpoint.play("Serve", [call("Bash", command="sleep 600 & echo up | tee up")], ["It is up."])
    with chat.running():
        await eva.say("Serve", thread_id="chat")
        await eva.requests.decide((await wait_for_conversation(eva, asks))["id"], "approve")
        await wait_for_conversation(eva, has_text("It is up."))
    assert endpoint.results() == ["up\n"]


async def test_a_killed_chat_continues_with_the_card_answered_in_between(
    chat: Chat, endpoint: FakeEndpoint, eva: AsyncClient
) -> None:
    endpoint.play(
        "Make it", [call("Bash", command="echo >> made"), call("ask_user", question="What?")], ["Made."]
    )
    with chat.running():
        await eva.say("Make it", thread_id="chat")
        await wait_for_conversation(eva, lambda thread: len(thread["requests"]) == 2)
    (question,) = await eva.requests.list(thread_id="chat", kind="form")
    (card,) = await eva.requests.list(thread_id="chat", kind="approval")
    await eva.requests.decide(card, "approve")
    with chat.running():
        await eva.requests.answer(question, {"answer": "this"})
        thread = await wait_for_conversation(eva, lambda thread: has_text("Made.")(thread) and thread)
    assert len(thread["requests"]) == 2
    assert (chat.folder / "made").read_text() == "\n"
    assert [item["status"] for item in calls(thread)] == ["done", "done"]


async def test_a_command_that_ran_when_the_chat_was_killed_does_not_run_again(
    chat: Chat, endpoint: FakeEndpoint, eva: AsyncClient
) -> None:
    os.mkfifo(chat.folder / "pipe")
    endpoint.play("Run", [call("Bash", command="echo >> ran; read line < pipe")], ["I do not know."])
    with chat.running():
        await eva.say("Run", thread_id="chat")
        await eva.requests.decide((await wait_for_conversation(eva, asks))["id"], "approve")
        with anyio.fail_after(LIMIT_S):
            writer = await anyio.to_thread.run_sync(lambda: os.open(chat.folder / "pipe", os.O_WRONLY))
    os.close(writer)
    with chat.running():
        await wait_for_conversation(eva, has_text("I do not know."))
    assert (chat.folder / "ran").read_text() == "\n"
    assert "It was not run" in endpoint.results()[0]


@pytest.mark.parametrize(
    ("piece", "expected_text"),
    [("ä" * 300_000, 40_000), (call("Bash", command="x" * 300_000), 0), ('"' * 200_000 + "é", 200_000)],
    ids=["more than a message", "a large call", "more than a frame"],
)
async def test_a_large_piece_of_a_reply_is_shown_or_the_person_reads_that_it_is_too_large(
    chat: Chat, endpoint: FakeEndpoint, eva: AsyncClient, piece: Any, expected_text: int
) -> None:
    endpoint.play("Hello", [piece])
    await eva.say("Hello", thread_id="chat")
    with chat.running():
        conversation = await wait_for_conversation(
            eva,
            lambda thread: (
                (found := texts(thread)) and (found[-1].endswith("é") or "I had to" in found[-1]) and found
            ),
        )
    if isinstance(piece, str) and piece.endswith("é"):
        assert conversation == [piece]
    else:
        assert (
            conversation[-1] == "I had to stop. My reply is too long for a message. Ask me for a shorter one."
        )
        assert len("".join(conversation[:-1])) >= expected_text


RUBBISH = [
    "[1]",
    "7",
    '{"choices": "x"}',
    '{"choices": [7, {"delta": [1]}, {}, {"delta": {"content": 5, "tool_calls": {"a": 1}}}]}',
    '{"choices": [{"delta": {"tool_calls": [3, {"index": [], "function": {"name": 7, "arguments": {}}}]}}]}',
    '{"choices": [{"delta": {"content": "a\\ud800b\\u0000c"}}]}',
]


async def test_rubbish_in_a_reply_does_not_end_the_conversation(
    chat: Chat, endpoint: FakeEndpoint, eva: AsyncClient
) -> None:
    endpoint.play("Hello", [*map(raw, RUBBISH), call("Nope"), " Good."], ["Better."])
    endpoint.play("Again", [raw("{")])
    await eva.say("Hello", thread_id="chat")
    with chat.running():
        thread = await wait_for_conversation(eva, lambda thread: has_text("Better.")(thread) and thread)
        assert "a?b\ufffdc Good." in texts(thread)
        assert [item["status"] for item in calls(thread)] == ["failed"]
        await eva.say("Again", thread_id="chat")
        await wait_for_conversation(eva, lambda thread: "could not be used" in texts(thread)[-1])


class Broken:
    """An agent with a fault, whose text may contain anything."""

    greeting = "Hello!"

    async def answer(self, turn: Turn) -> None:
        await turn.begin_call("call_1", "Bash", {"command": "ls"})
        raise RuntimeError("the-key")


async def test_an_error_of_an_agent_ends_its_calls_and_is_shown_to_the_person(
    server: RunningServer, eva: AsyncClient
) -> None:
    async with AsyncClient(server.url, server.requester_token) as ask, anyio.create_task_group() as tasks:
        tasks.start_soon(Host(ask, "chat", Broken()).serve)
        await wait_for_conversation(eva, has_text(Broken.greeting))
        await eva.say("Begin", thread_id="chat")
        thread = await wait_for_conversation(
            eva, lambda thread: has_text(f"I had to stop. {UNEXPECTED}")(thread) and thread
        )
        assert [item["status"] for item in calls(thread)] == ["failed"]
        tasks.cancel_scope.cancel()
