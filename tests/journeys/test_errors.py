"""Groups M and L: the format of refusals, and the limits."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.journeys.people import Person, faults
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

FORM = {"fields": [{"id": "q", "type": "text", "label": "Q"}]}


async def ask(server: Any, thread: str, form: Any = None, **extra: Any) -> Any:
    """Ask as an agent and return the reply."""
    async with server.person("requester") as agent:
        return await agent.ask(thread, FORM if form is None else form, **extra)


@requirement("M1", "M2")
async def test_every_refusal_has_one_shape(server: Any, ada: Person, thread: str) -> None:
    request_id = (await ask(server, thread)).json()["id"]
    async with server.person("requester") as agent:
        replies = {
            401: await ada.http.get(
                f"/v1/requests/{request_id}", headers={"Authorization": "Bearer nonsense"}
            ),
            403: await agent.answer(request_id, {"q": "x"}),
            404: await ada.http.get("/v1/requests/req_unknown"),
            405: await ada.http.delete(f"/v1/requests/{request_id}"),
            413: await ada.http.post(f"/v1/requests/{request_id}/answer", content=b" " * (1024 * 1024 + 1)),
            422: await ada.answer(request_id, {"q": 5}),
        }
    await ada.answer(request_id, {"q": "x"})
    replies[409] = await ada.answer(request_id, {"q": "y"})
    for status, reply in replies.items():
        assert reply.status_code == status, reply.text
        error = reply.json()["error"]
        assert isinstance(error["code"], str)
        assert isinstance(error["message"], str)
        assert set(error) <= {"code", "message", "field_errors", "request"}
    assert replies[409].json()["error"]["request"]["answer"]["values"] == {"q": "x"}


@requirement("M2")
async def test_an_answer_after_the_deadline_is_gone(server: Any, ada: Person, thread: str) -> None:
    request_id = (await ask(server, thread, timeout_s=1)).json()["id"]
    ended_reply = await ada.http.get(f"/v1/requests/{request_id}", params={"wait": 20})
    assert ended_reply.json()["status"] == "expired"
    late_reply = await ada.answer(request_id, {"q": "x"})
    assert (late_reply.status_code, late_reply.json()["error"]["code"]) == (410, "expired")
    assert late_reply.json()["error"]["request"]["status"] == "expired"


@requirement("M3", "K2")
async def test_the_second_person_sees_the_winning_answer(server: Any, ada: Person, thread: str) -> None:
    request_id = (await ask(server, thread)).json()["id"]
    async with server.person("responder/bob") as bob:
        await bob.answer(request_id, {"q": "Bob was first"})
        lost_reply = await ada.answer(request_id, {"q": "mine"})
    request = lost_reply.json()["error"]["request"]
    assert lost_reply.status_code == 409
    assert request["answer"]["values"] == {"q": "Bob was first"}
    assert request["settled_by"]["name"] == "bob"


@requirement("H4", "K1", "M3")
async def test_one_of_a_hundred_concurrent_answers_wins(server: Any, ada: Person, thread: str) -> None:
    request_id = (await ask(server, thread)).json()["id"]
    replies = await asyncio.gather(*(ada.answer(request_id, {"q": str(i)}) for i in range(100)))
    won = [reply for reply in replies if reply.status_code == 200]
    lost = [r for r in replies if r.status_code == 409]
    assert (len(won), len(lost)) == (1, 99)
    value = won[0].json()["answer"]["values"]
    assert all(r.json()["error"]["request"]["answer"]["values"] == value for r in lost)
    events = [event["type"] async for event in ada.events(thread, until=2)]
    assert events == ["request.created", "request.answered"]


@requirement("M4")
async def test_the_same_key_makes_one_request(server: Any, ada: Person, thread: str) -> None:
    first, *other_replies = await asyncio.gather(*(ask(server, thread, key=f"k-{thread}") for _ in range(10)))
    assert {r.json()["id"] for r in other_replies} == {first.json()["id"]}
    assert sorted(r.status_code for r in [first, *other_replies]) == [201] * 10
    other = await ask(
        server, thread, {"fields": [{"id": "z", "type": "text", "label": "Z"}]}, key=f"k-{thread}"
    )
    assert (other.status_code, other.json()["error"]["code"]) == (422, "idempotency_mismatch")
    assert len(await ada.pending(thread)) == 1


@requirement("M4")
async def test_the_same_key_makes_one_answer(server: Any, ada: Person, thread: str) -> None:
    request_id = (await ask(server, thread)).json()["id"]
    replies = await asyncio.gather(*(ada.answer(request_id, {"q": "x"}, key="once") for _ in range(10)))
    assert [reply.status_code for reply in replies] == [200] * 10
    taken, *replayed = sorted((r.json() for r in replies), key=lambda r: "submission" in r)
    assert replayed == [taken | {"submission": "accepted"}] * 9
    other_reply = await ada.answer(request_id, {"q": "y"}, key="once")
    assert (other_reply.status_code, other_reply.json()["error"]["code"]) == (422, "idempotency_mismatch")
    assert (await ada.answer(request_id, {"q": "x"}, key="another")).status_code == 409


@requirement("M5")
@pytest.mark.parametrize("reason", ["agent_aborted", "user_message", "superseded", "shutdown", "failed"])
async def test_every_reason_of_a_cancellation_is_distinguished(
    server: Any, ada: Person, thread: str, reason: str
) -> None:
    request_id = (await ask(server, thread)).json()["id"]
    async with server.person("requester") as agent:
        await agent.cancel(request_id, reason=reason)
    ended_request = await ada.get(request_id)
    assert (ended_request["status"], ended_request["reason"]) == ("cancelled", reason)
    assert "answer" not in ended_request


@requirement("M5")
async def test_an_unknown_reason_is_refused_and_the_request_stays_open(
    server: Any, ada: Person, thread: str
) -> None:
    request_id = (await ask(server, thread)).json()["id"]
    assert faults(await ada.decline(request_id, "because")) == [("reason", "unknown_value")]
    assert (await ada.get(request_id))["status"] == "pending"


@requirement("L3", "L4")
@pytest.mark.parametrize(
    ("n", "path", "form"),
    [
        (
            100,
            "form.fields",
            lambda n: {"fields": [{"id": f"f{i}", "type": "text", "label": "L"} for i in range(n)]},
        ),
        (
            20,
            "form.sections",
            lambda n: {
                "sections": [
                    {"id": f"s{i}", "fields": [{"id": f"f{i}", "type": "text", "label": "L"}]}
                    for i in range(n)
                ]
            },
        ),
    ],
)
async def test_one_more_than_the_limit_is_refused_by_name(
    server: Any, thread: str, n: int, path: str, form: Any
) -> None:
    assert (await ask(server, thread, form(n))).status_code == 201
    assert (path, "too_many") in faults(await ask(server, thread, form(n + 1)))


@requirement("L3", "L4")
async def test_the_limits_can_be_read(ada: Person) -> None:
    sizes = (await ada.http.get("/v1/limits")).json()
    text = str(sizes)
    assert "pattern" in text
    assert "fields" in text


@requirement("L5")
async def test_a_body_over_a_mebibyte_is_refused_unread(server: Any, ada: Person, thread: str) -> None:
    request_id = (await ask(server, thread)).json()["id"]
    reply = await ada.answer(request_id, {"q": "x" * (1024 * 1024)})
    assert (reply.status_code, reply.json()["error"]["code"]) == (413, "too_large")
    assert (await ada.get(request_id))["status"] == "pending"


@requirement("M8")
async def test_an_unknown_id_is_an_error_for_the_sender_alone(server: Any, ada: Person, thread: str) -> None:
    request_id = (await ask(server, thread)).json()["id"]
    for reply in (
        await ada.answer("req_nothing", {"q": "x"}),
        await ada.decline("req_nothing", "dismissed"),
        await ada.http.get("/v1/requests/req_nothing"),
    ):
        assert (reply.status_code, reply.json()["error"]["code"]) == (404, "not_found")
    assert (await ada.get(request_id))["status"] == "pending"
