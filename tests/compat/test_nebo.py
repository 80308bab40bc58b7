"""Nebo's hub: what the golden conversations of `vectors/compat/nebo` do not show."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from askback.compat.nebo import people
from askback.transports.compat import api as events
from tests.compat.nebo_hub import Frame, agent, ask, ask_response, blocks, page
from tests.requirements import requirement
from tests.transports.conftest import Api, api
from tests.transports.conftest import ask as native

__all__ = ["api"]

pytestmark = pytest.mark.anyio
OF_ANOTHER = {"owner": "somebody-else", "people": {}}
CONFIRM = {"id": "go", "type": "select", "widget": "confirm", "required": True}


async def ask_and_leave(api: Api, *frames: Frame, who: str = "requester") -> None:
    """Have an agent ask and leave."""
    nebo = await agent(api, who)
    for frame in frames:
        nebo.send(**frame)
    await nebo.assert_nothing_received()
    await nebo.leave()


async def answer(api: Api, **values: str) -> None:
    """Answer asks on a page, by their ids."""
    eva = await page(api)
    for _ in values:
        await eva.frame(type="ask_request")
    for request_id, value in values.items():
        eva.send(**ask_response(request_id, value))
    await eva.assert_nothing_received()
    await eva.leave()


async def test_a_page_gets_the_streams_of_the_sessions_that_its_person_may_view(api: Api) -> None:
    nebo, ada, bob = await agent(api), await page(api, "admin"), await page(api)
    nebo.send(type="stream", id="run1", payload={"chunk": "Everybody's"})
    for item in (ada, bob):
        await item.frame(type="chat_stream", data={"session_id": "main", "content": "Everybody's"})
    admin = await api.as_("admin")
    assert (await admin.put("/v1/threads/main/access", json=OF_ANOTHER)).status_code == 200
    nebo.send(type="stream", id="run1", payload={"chunk": "Ada's"})
    nebo.send(type="res", id="run1", ok=True)
    await ada.frame(type="chat_stream", data={"session_id": "main", "content": "Ada's"})
    await ada.frame(type="chat_complete", data={"session_id": "main"})
    await bob.assert_nothing_received()
    for item in (nebo, ada, bob):
        await item.leave()


async def test_a_page_that_connects_later_gets_the_rest_of_the_stream(api: Api) -> None:
    nebo, first = await agent(api, session_id="s1"), await page(api)
    for chunk in ("One ", "two"):
        nebo.send(type="stream", id="run1", payload={"chunk": chunk})
        await first.frame(type="chat_stream", data={"session_id": "s1", "content": chunk})
    later = await page(api)
    nebo.send(type="stream", id="run1", payload={"chunk": " three"})
    for item in (first, later):
        await item.frame(type="chat_stream", data={"session_id": "s1", "content": " three"})
    assert await blocks(api, "s1") == [[{"type": "text", "text": "One two three"}]]
    for item in (nebo, first, later):
        await item.leave()


async def test_a_page_that_is_too_far_behind_is_closed_so_that_it_connects_again(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "MAX_BEHIND", 3)
    nebo, eva = await agent(api), await page(api)
    await eva.assert_nothing_received()
    eva.reading.clear()
    for number in range(9):
        nebo.send(type="stream", id="run1", payload={"chunk": str(number)})
    await nebo.assert_nothing_received()
    eva.reading.set()
    assert await eva.closed() == 1011
    await nebo.leave()


async def test_one_of_several_agents_runs_the_message_of_a_person(api: Api) -> None:
    agents = [await agent(api), await agent(api), await agent(api, "requester/second")]
    eva = await page(api)
    eva.send(type="chat", data={"session_id": "s1", "prompt": "Hello"})
    waiting = {asyncio.create_task(item.frame(type="req", method="run")): item for item in agents}
    done, others = await asyncio.wait(waiting, timeout=120, return_when=asyncio.FIRST_COMPLETED)
    assert [task.result()["params"] for task in done] == [{"session_key": "s1", "prompt": "Hello"}]
    for task in others:
        task.cancel()
        await waiting[task].assert_nothing_received()
    for connection in (*agents, eva):
        await connection.leave()


async def test_an_agent_gets_answers_that_arrive_while_it_reads_the_open_requests(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ask_and_leave(api, ask("a1"), ask("a2"))
    real, reads = events.CallerApi.call, list[str]()

    async def call(self: events.CallerApi, operation: str, *body: Any, **extra: Any) -> Any:
        reply = await real(self, operation, *body, **extra)
        if operation == "list_requests" and self.principal.role == "requester":
            reads.append(operation)
            if len(reads) == 1:
                await answer(api, a1="Yes", a2="No")
        return reply

    monkeypatch.setattr(events.CallerApi, "call", call)
    nebo = await agent(api)
    heard = [await nebo.frame(type="ask_response") for _ in "12"]
    assert sorted(item["id"] for item in heard) == ["a1", "a2"]
    await nebo.assert_nothing_received()
    await nebo.leave()


async def test_a_chat_without_an_agent_says_so(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people, "AGENT_WAIT_S", 0.01)
    eva = await page(api)
    eva.send(type="chat", data={"session_id": "s1", "prompt": "Hello"})
    said_to = {"session_id": "s1", "error": "No agent connected. Make sure nebo is running."}
    await eva.frame(type="error", data=said_to)
    await eva.leave()


async def test_a_chat_without_text_is_refused_and_nothing_is_stored(api: Api) -> None:
    nebo, eva = await agent(api), await page(api)
    for prompt, error in [
        ({}, "prompt: This key is required. Add it. [missing_required]"),
        ({"prompt": " "}, "prompt: Must not be empty. [empty]"),
    ]:
        eva.send(type="chat", data={"session_id": "s1", **prompt})
        await eva.frame(type="error", data={"session_id": "s1", "error": error})
    await nebo.assert_nothing_received()
    threads = (await (await api.as_("responder")).get("/v1/threads")).json()
    assert threads["threads"] == []
    for item in (nebo, eva):
        await item.leave()


@requirement("A12")
async def test_a_blank_prompt_counts_as_none(api: Api) -> None:
    nebo, eva = await agent(api), await page(api)
    nebo.send(**ask("a1", "  ", text="Really?"))
    assert (await eva.frame(type="ask_request"))["data"]["prompt"] == "Really?"
    nebo.send(**ask("a2", "  ", text="\n"))
    await nebo.frame(type="res", id="a2", ok=False, error="'prompt' (or 'text') is required for ask action")
    for item in (nebo, eva):
        await item.leave()


@requirement("A14")
async def test_an_undelivered_outcome_is_sent_once_to_the_agent_of_that_name(api: Api) -> None:
    await ask_and_leave(api, ask("a1"), ask("a2", "Again?"))
    await answer(api, a1="Yes", a2="No")
    coder, other = await agent(api, name="coder"), await agent(api, "requester/second")
    for connection in (coder, other):
        await connection.assert_no_outcome()
    nebo = await agent(api)
    heard = [await nebo.frame(type="ask_response") for _ in range(2)]
    assert {item["id"]: item["payload"]["value"] for item in heard} == {"a1": "Yes", "a2": "No"}
    await nebo.leave()
    second_agent = await agent(api)
    await second_agent.assert_no_outcome()
    for connection in (coder, other, second_agent):
        await connection.leave()


async def test_an_outcome_that_the_agent_has_read_does_not_come_again(api: Api) -> None:
    await ask_and_leave(api, ask("a1"))
    await answer(api, a1="Yes")
    body = (await (await api.as_("requester")).get("/v1/requests?external_id=a1")).json()
    reply = await (await api.as_("requester")).get(f"/v1/requests/{body['requests'][0]['id']}")
    assert reply.json()["status"] == "answered"
    nebo = await agent(api)
    await nebo.assert_no_outcome()
    nebo.send(**ask("a1"))
    await nebo.frame(type="ask_response", id="a1", payload={"value": "Yes"})
    await nebo.leave()


async def test_a_delivered_outcome_is_not_sent_again(api: Api) -> None:
    nebo = await agent(api)
    nebo.send(**ask("a1"))
    await nebo.assert_nothing_received()
    await answer(api, a1="Yes")
    await nebo.frame(type="ask_response", id="a1")
    await nebo.leave()
    second_agent = await agent(api)
    await second_agent.assert_no_outcome()
    await second_agent.leave()


@requirement("A19")
async def test_an_ask_repeated_after_a_reconnect_is_the_same_ask(api: Api) -> None:
    nebo = await agent(api)
    nebo.send(type="stream", id="run1", payload={"chunk": "Text"})
    nebo.send(**ask("a1"))
    await nebo.assert_nothing_received()
    await nebo.leave()
    second_agent, eva = await agent(api), await page(api)
    second_agent.send(**ask("a1"))
    await second_agent.assert_nothing_received()
    await eva.frame(type="ask_request", id="a1")
    eva.send(**ask_response("a1", "Yes"))
    await second_agent.frame(type="ask_response", id="a1", payload={"value": "Yes"})
    assert [[item["type"] for item in message] for message in await blocks(api, "main")] == [["text", "ask"]]
    for connection in (second_agent, eva):
        await connection.leave()


async def test_an_ask_without_a_run_is_a_separate_message_if_two_runs_are_open(
    api: Api,
) -> None:
    nebo = await agent(api)
    for run in ("run1", "run2"):
        nebo.send(type="stream", id=run, payload={"chunk": run})
    await nebo.assert_nothing_received()
    await nebo.leave()
    second_agent = await agent(api)
    second_agent.send(type="stream", id="run2", payload={"chunk": "!"})
    second_agent.send(**ask("a1"))
    await second_agent.assert_nothing_received()
    texts = [[item["type"] for item in message] for message in await blocks(api, "main")]
    assert texts == [["text"], ["text"], ["ask"]]
    await second_agent.leave()


async def test_a_second_agent_of_a_name_has_its_own_session(api: Api) -> None:
    await ask_and_leave(api, ask("a1"))
    await ask_and_leave(api, ask("b1"), who="requester/second")
    second = await agent(api, "requester/second")
    second.send(type="stream", id="run1", payload={"chunk": "Mine"})
    second.send(**ask("b1"))
    await second.assert_nothing_received()
    eva = await page(api)
    assert [(await eva.frame(type="ask_request"))["id"] for _ in range(2)] == ["a1", "b1"]
    eva.send(**ask_response("b1", "No"))
    await second.frame(type="ask_response", id="b1", payload={"value": "No"})
    for item in (second, eva):
        await item.leave()


@pytest.mark.parametrize(
    ("frame", "error"),
    [
        (ask("a\n1"), "id: Remove control, text direction and invisible characters. [control_chars]"),
        (ask("x" * 300), "id: Must be at most 200 characters. [too_long]"),
        (ask("a1", run_id=5), "run_id: Must be a string. [wrong_type]"),
        (ask("a1", timeout_s="1"), "timeout_s: Must be a number. [wrong_type]"),
        (
            {"type": "stream", "id": "r\n1", "payload": {}},
            "id: Remove control, text direction and invisible characters. [control_chars]",
        ),
    ],
)
async def test_an_error_in_a_frame_is_reported_once_with_its_path(api: Api, frame: Frame, error: str) -> None:
    nebo = await agent(api)
    nebo.send(**frame)
    await nebo.frame(type="res", id=frame["id"], ok=False, error=error)
    assert (await (await api.as_("requester")).get("/v1/requests")).json()["requests"] == []
    await nebo.leave()


async def test_an_ask_of_another_program_has_all_its_text_and_the_usual_buttons(api: Api) -> None:
    program, eva = await api.as_("requester"), await page(api)
    form = {"title": "Deploy?", "description": "To production.", "fields": [CONFIRM]}
    reply = await program.post("/v1/requests", json=native(form=form))
    shown_frame_data = (await eva.frame(type="ask_request"))["data"]
    widgets = [{"type": "confirm", "options": ["Yes", "No"]}]
    assert shown_frame_data == {
        "request_id": reply.json()["id"],
        "prompt": "Deploy?\n\nTo production.",
        "widgets": widgets,
    }
    eva.send(**ask_response(shown_frame_data["request_id"], "Yes"))
    await eva.assert_nothing_received()
    settled_request = (await program.get(f"/v1/requests/{shown_frame_data['request_id']}")).json()
    assert settled_request["answer"]["values"] == {"go": "Yes"}
    await eva.leave()


async def test_a_page_whose_answer_was_sent_back_shows_the_ask_again(api: Api) -> None:
    program, eva = await api.as_("requester"), await page(api)
    body = native(form={"title": "Deploy?", "fields": [CONFIRM]}, validator="requester")
    made_body = (await program.post("/v1/requests", json=body)).json()
    shown_frame = await eva.frame(type="ask_request")
    eva.send(**ask_response(made_body["id"], "Yes"))
    await eva.assert_nothing_received()
    second_reply = await program.post(
        f"/v1/requests/{made_body['id']}/reprompt", json={"error_summary": "Not now."}
    )
    assert second_reply.status_code == 200, second_reply.text
    assert (await eva.frame(type="ask_request"))["data"] == shown_frame["data"]
    await eva.leave()


async def test_a_refused_chat_was_never_created(api: Api) -> None:
    eva = await page(api)
    api.app.services.store.disk.full = True  # type: ignore[attr-defined] - a temporary store has one
    eva.send(type="chat", data={"prompt": "Hello"})
    await eva.frame(type="error")
    await eva.assert_nothing_received()
    await eva.leave()


async def test_an_ask_stored_by_an_earlier_release_is_found_by_its_question(api: Api) -> None:
    body = {"kind": "form", "thread_id": "main", "external_id": "q1", "metadata": {"nebo": {"name": "main"}}}
    field = {**CONFIRM, "id": "w1", "options": ["Yes", "No"]}
    form = {"title": "Proceed?", "format": "plain", "fields": [field]}
    old_reply = await (await api.as_("requester")).post(
        "/v1/requests", json={**body, "form": form, "repeat": "ask"}, headers={"Idempotency-Key": "nebo:q1"}
    )
    assert old_reply.status_code == 201, old_reply.text
    nebo = await agent(api)
    for frame in (ask("q1"), ask("q1", widgets=[{"type": "confirm"}])):
        nebo.send(**frame)
        await nebo.assert_nothing_received()
    for frame in (
        ask("q1", "Another?"),
        ask("q1", widgets=[{"type": "radio"}]),
        {**ask("q1"), "type": "approval_request", "payload": {"tool": "x"}},
    ):
        nebo.send(**frame)
        assert "Give this one its own id" in (await nebo.frame(type="res", id="q1", ok=False))["error"]
    await answer(api, q1="No")
    await nebo.frame(type="ask_response", id="q1", payload={"value": "No"})
    await nebo.leave()
