"""Groups F and N over HTTP: initial errors, results of checks, new deadlines."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from askback.service.jobs import deadlines
from tests.requirements import requirement
from tests.transports.conftest import ANSWER, Api, ask, create_request

pytestmark = pytest.mark.anyio

WRONG = [{"path": "values.dish", "message": "Soup is off."}]


def paths(reply: httpx2.Response) -> list[tuple[str, str]]:
    assert reply.status_code == 422, reply.text
    return [(error["path"], error["code"]) for error in reply.json()["error"]["field_errors"]]


async def step(api: Api, request: dict[str, Any], operation: str, **body: Any) -> httpx2.Response:
    return await (await api.as_("requester")).post(f"/v1/requests/{request['id']}/{operation}", json=body)


async def submitted_request(api: Api, **extra: Any) -> dict[str, Any]:
    """Return a request whose answer `soup` is being checked."""
    request = await create_request(api, validator="requester", **extra)
    person = await api.as_("responder")
    return (await person.post(f"/v1/requests/{request['id']}/answer", json=ANSWER)).json()


async def advance_clock(api: Api, seconds: float) -> None:
    api.clock.advance(seconds=seconds)
    await deadlines.sweep(api.app.services)


async def read(api: Api, request: dict[str, Any]) -> dict[str, Any]:
    return (await (await api.as_("requester")).get(f"/v1/requests/{request['id']}")).json()


@requirement("F22")
@pytest.mark.parametrize(
    "timeout_action",
    [
        {},
        {"kind": "approval", "form": None, "approval": {"tool": "bash", "input": {"command": "make"}}},
        {"kind": "secret", "form": None, "secret": {"names": ["A_KEY"], "reason": "To pay"}},
    ],
    ids=["form", "approval", "secret"],
)
async def test_a_deadline_may_cancel(api: Api, timeout_action: dict[str, Any]) -> None:
    body = {name: part for name, part in ask(**timeout_action).items() if part is not None}
    agent = await api.as_("requester")
    request = (await agent.post("/v1/requests", json={**body, "timeout_s": 5, "on_timeout": "cancel"})).json()
    await advance_clock(api, 6)
    ended_request = await read(api, request)
    assert (ended_request["status"], ended_request["reason"]) == ("cancelled", "timeout")
    assert "settled_by" not in ended_request


@requirement("F22")
async def test_nobody_but_a_deadline_cancels_for_the_time(api: Api) -> None:
    request = await create_request(api)
    assert paths(await step(api, request, "cancel", reason="timeout")) == [("reason", "unknown_value")]


@requirement("F14")
async def test_errors_may_come_with_the_first_asking(api: Api) -> None:
    agent = await api.as_("requester", **{"Idempotency-Key": "k"})
    body = ask(field_errors=WRONG, validator="requester")
    request = (await agent.post("/v1/requests", json=body)).json()
    assert (request["field_errors"], request["error_summary"]) == (
        WRONG,
        "Please correct the highlighted fields.",
    )
    second_reply = await agent.post("/v1/requests", json=body)
    assert (second_reply.headers["idempotent-replayed"], second_reply.json()) == ("true", request)
    other_reply = await agent.post("/v1/requests", json=ask(error_summary="Look.", validator="requester"))
    assert other_reply.status_code == 422
    person = await api.as_("responder")
    sent_body = (await person.post(f"/v1/requests/{request['id']}/answer", json=ANSWER)).json()
    assert not {"field_errors", "error_summary"} & sent_body.keys()


@requirement("F13")
async def test_a_check_may_return_changed_values(api: Api) -> None:
    request = await submitted_request(api)
    verdict = {"values": {"dish": "Soup"}, "result": {"number": 12}, "message": "Booked, number 12."}
    ended_body = (await step(api, request, "accept", **verdict)).json()
    assert (ended_body["status"], ended_body["answer"], ended_body["settled_by"]["name"]) == (
        "answered",
        verdict,
        "responder",
    )


@requirement("F13")
@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ({"values": {"dish": 5}}, ("values.dish", "wrong_type")),
        ({"values": {"dish": "Soup", "drink": "tea"}}, ("values.drink", "unknown_field")),
        ({"result": "x" * 16_384}, ("result", "too_long")),
        ({"message": ""}, ("message", "empty")),
        ({"message": "x" * 501}, ("message", "too_long")),
        ({"message": "a\u202eb"}, ("message", "control_chars")),
        ({"message": 5}, ("message", "wrong_type")),
        ({"ok": True}, ("ok", "unknown_field")),
    ],
)
async def test_an_invalid_verdict_changes_nothing(
    api: Api, body: dict[str, Any], fault: tuple[str, str]
) -> None:
    request = await submitted_request(api)
    assert paths(await step(api, request, "accept", **body)) == [fault]
    assert await read(api, request) == request


@requirement("F14")
async def test_asking_again_may_bring_a_deadline(api: Api) -> None:
    request = await submitted_request(api)
    await step(api, request, "reprompt", error_summary="No.", timeout_s=60)
    await advance_clock(api, 59)
    assert (await read(api, request))["timeout_s"] == 60
    assert (await read(api, request))["status"] == "pending"
    await advance_clock(api, 2)
    assert (await read(api, request))["status"] == "expired"


@requirement("F14")
async def test_asking_again_may_end_the_deadline(api: Api) -> None:
    request = await submitted_request(api, timeout_s=60)
    second_body = (await step(api, request, "reprompt", timeout_s=None)).json()
    assert (second_body["status"], second_body["submitted"]) == ("pending", {"values": {"dish": "soup"}})
    assert not {"expires_at", "timeout_s"} & second_body.keys()
    await advance_clock(api, 10_000)
    assert (await read(api, request))["status"] == "pending"


@requirement("F14")
@pytest.mark.parametrize("timeout_s", [0, -1, 0.5, 2_592_001, "60", True])
async def test_a_deadline_that_cannot_be_is_refused(api: Api, timeout_s: object) -> None:
    request = await submitted_request(api)
    [(path, _)] = paths(await step(api, request, "reprompt", error_summary="No.", timeout_s=timeout_s))
    assert path == "timeout_s"
    assert await read(api, request) == request
