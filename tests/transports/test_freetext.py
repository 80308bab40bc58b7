"""A person writes while a request is open: each policy, and its effect on the message."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from askback.service.jobs import recovery
from tests.requirements import requirement
from tests.transports.conftest import ANSWER, Api, create_request

pytestmark = pytest.mark.anyio

CHOICE = {
    "fields": [
        {
            "id": "size",
            "type": "select",
            "label": "Size",
            "allow_other": True,
            "options": [{"value": "s", "label": "Small"}, {"value": "l", "label": "Large"}, "XL", "xl"],
        }
    ]
}


async def policy(api: Api, free_text: str, thread: str | None = None) -> None:
    thread_filter = {} if thread is None else {"thread_id": thread}
    reply = await (await api.as_("admin")).post("/v1/policy", json={"free_text": free_text, **thread_filter})
    assert reply.status_code == 200, reply.text


async def say(api: Api, text: str, who: str = "responder", **headers: str) -> httpx2.Response:
    body = {"content": [{"type": "text", "text": text}]}
    return await (await api.as_(who, **headers)).post("/v1/threads/t1/messages", json=body)


async def status(api: Api, request: dict[str, Any]) -> dict[str, Any]:
    return (await (await api.as_("requester")).get(f"/v1/requests/{request['id']}")).json()


async def event_types(api: Api, after: int = 0) -> list[str]:
    return [event.type for event in await api.app.services.store.thread_events("default", "t1", after=after)]


async def test_without_a_policy_a_message_is_a_message(api: Api) -> None:
    request = await create_request(api)
    assert set((await say(api, "hello")).json()) == {"id"}
    assert (await status(api, request))["status"] == "pending"


@requirement("D21")
async def test_the_question_has_priority_if_configured(api: Api) -> None:
    await policy(api, "block_input", "t1")
    assert (await say(api, "hello")).status_code == 201
    request = await create_request(api)
    for _ in range(2):
        refusal = await say(api, "hello")
        assert (refusal.status_code, refusal.json()["error"]["code"]) == (409, "answer_first")
        assert refusal.json()["error"]["message"] == "Please answer the question above to continue"
    assert (await say(api, "I am working", "requester")).status_code == 201
    thread = (await (await api.as_("responder")).get("/v1/threads/t1")).json()
    assert (thread["free_text"], len(thread["messages"])) == ("block_input", 2)
    await (await api.as_("responder")).post(f"/v1/requests/{request['id']}/answer", json=ANSWER)
    assert (await say(api, "hello")).status_code == 201


@requirement("M9")
async def test_a_message_takes_back_the_open_forms_and_nothing_else(api: Api) -> None:
    await policy(api, "cancel_pending")
    forms = [await create_request(api) for _ in range(2)]
    call = {"kind": "approval", "thread_id": "t1", "approval": {"tool": "deploy", "input": {"n": 1}}}
    approval = (await (await api.as_("requester")).post("/v1/requests", json=call)).json()
    assert (await say(api, "do something else")).status_code == 201
    ended_requests = [await status(api, form) for form in forms]
    assert [(request["status"], request["reason"]) for request in ended_requests] == [
        ("cancelled", "user_message")
    ] * 2
    assert (await status(api, approval))["status"] == "pending"
    events = await api.app.services.store.thread_events("default", "t1", after=4)
    assert [event.request_id for event in events] == [form["id"] for form in forms]


async def test_a_repeated_message_cancels_no_later_request(api: Api) -> None:
    await policy(api, "cancel_pending")
    await create_request(api)
    await say(api, "stop", **{"Idempotency-Key": "k"})
    later_request = await create_request(api)
    assert (await say(api, "stop", **{"Idempotency-Key": "k"})).status_code == 201
    assert (await status(api, later_request))["status"] == "pending"


async def test_messages_are_held_until_nothing_is_open(api: Api) -> None:
    await policy(api, "queue")
    request = await create_request(api)
    for text in ("first", "second"):
        reply = await say(api, text)
        assert (reply.status_code, reply.json()["held"]) == (201, True)
    await recovery.promote_and_deliver(api.app.services)
    assert await event_types(api, 1) == ["message.held", "message.held"]
    person = await api.as_("responder")
    shown_messages = (await person.get("/v1/threads/t1")).json()["messages"]
    assert [message["held"] for message in shown_messages] == [True, True]
    await person.post(f"/v1/requests/{request['id']}/answer", json=ANSWER)
    await recovery.promote_and_deliver(api.app.services)
    assert await event_types(api, 3) == ["request.answered", "message.added", "message.added"]
    shown_messages = (await person.get("/v1/threads/t1")).json()["messages"]
    assert [(message["content"][0]["text"], "held" in message) for message in shown_messages] == [
        ("first", False),
        ("second", False),
    ]


@requirement("J14")
@pytest.mark.parametrize(
    ("text", "value"), [("s", "s"), ("Large", "l"), ("  small \n", "s"), ("XL", "XL"), ("xl", "xl")]
)
async def test_an_exact_option_answers_the_open_form(api: Api, text: str, value: str) -> None:
    await policy(api, "answer")
    request = await create_request(api, form=CHOICE)
    reply = await say(api, text)
    assert (reply.status_code, reply.json()["answered"]) == (201, request["id"])
    assert (await status(api, request))["answer"]["values"] == {"size": value}
    assert len((await (await api.as_("responder")).get("/v1/threads/t1")).json()["messages"]) == 1


@requirement("J14")
@pytest.mark.parametrize(
    ("text", "reason"),
    [("maybe later", "not_an_option"), ("Xl", "ambiguous"), ("small please", "not_an_option")],
)
async def test_anything_else_leaves_the_form_open_and_says_so(api: Api, text: str, reason: str) -> None:
    await policy(api, "answer")
    request = await create_request(api, form=CHOICE)
    reply = await say(api, text)
    assert (reply.status_code, reply.json()["answered"], reply.json()["why"]) == (201, None, reason)
    assert (await status(api, request))["status"] == "pending"


@requirement("J14")
async def test_a_text_is_the_answer_to_a_single_free_text_that_takes_it(api: Api) -> None:
    await policy(api, "answer")
    form = {"fields": [{"id": "code", "type": "text", "label": "Code", "max_length": 4}]}
    request = await create_request(api, form=form)
    assert (await say(api, "too long")).json()["why"] == "not_valid"
    assert (await say(api, " ab ")).json()["answered"] == request["id"]
    assert (await status(api, request))["answer"]["values"] == {"code": "ab"}
    assert (await say(api, "more")).json()["why"] == "nothing_open"


@requirement("J14")
async def test_no_text_answers_an_approval_a_secret_field_or_one_of_several(api: Api) -> None:
    await policy(api, "answer")
    call = {"kind": "approval", "thread_id": "t1", "approval": {"tool": "deploy", "input": {"n": 1}}}
    approval = (await (await api.as_("requester")).post("/v1/requests", json=call)).json()
    assert (await say(api, "approve")).json()["why"] == "not_for_text"
    await create_request(api, form=CHOICE)
    assert (await say(api, "s")).json()["why"] == "several_open"
    await (await api.as_("requester")).post(f"/v1/requests/{approval['id']}/cancel", json={})
    two = [{"id": n, "type": "text", "label": n} for n in "ab"]
    first_requests = (
        await (await api.as_("responder")).get("/v1/requests", params={"status": "pending"})
    ).json()["requests"]
    await (await api.as_("requester")).post(f"/v1/requests/{first_requests[0]['id']}/cancel", json={})
    request = await create_request(api, form={"fields": two})
    assert (await say(api, "x")).json()["why"] == "several_fields"
    await (await api.as_("requester")).post(f"/v1/requests/{request['id']}/cancel", json={})
    secret = {"fields": [{"id": "pin", "type": "text", "label": "PIN", "sensitive": True}]}
    request = await create_request(api, form=secret)
    assert (await say(api, "1234")).json()["why"] == "not_for_text"
    assert (await status(api, request))["status"] == "pending"
