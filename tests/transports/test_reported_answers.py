"""Answers that a person gave in the agent's own client, reported by the agent."""

from __future__ import annotations

from typing import Any

import pytest

from askback.delivery.in_process_bus import InProcessBus
from askback.server.app import create_app
from askback.server.settings import load
from tests.requirements import requirement
from tests.temporary_store import TemporaryStore
from tests.transports.conftest import ANSWER, Api, ManualClock, ask

pytestmark = pytest.mark.anyio

APPROVAL = {"kind": "approval", "thread_id": "t1", "approval": {"tool": "bash", "input": {"command": "make"}}}
APPROVE = {"revision": 1, "decision": "approve"}
OF_PEOPLE: list[dict[str, Any]] = [
    {**ask(), "assignees": ["ada"]},
    {"kind": "secret", "thread_id": "t1", "secret": {"names": ["KEY"], "reason": "r"}},
    {"kind": "action", "thread_id": "t1", "action": {"title": "Go"}},
]
"""Requests whose answers cannot be reported."""


async def create_and_return_id(api: Api, body: dict[str, Any], who: str = "requester") -> str:
    reply = await (await api.as_(who)).post("/v1/requests", json=body)
    assert reply.status_code == 201, reply.text
    return reply.json()["id"]


async def report(api: Api, id_: str, body: Any, who: str = "requester", **headers: str) -> Any:
    caller = await api.as_(who, **headers)
    return await caller.post(f"/v1/requests/{id_}/reported-answer", json=body)


async def test_a_reported_answer_settles_the_form_and_names_the_agent(api: Api) -> None:
    id_ = await create_and_return_id(api, ask())
    settled_body = (await report(api, id_, ANSWER)).json()
    assert (settled_body["status"], settled_body["source"], settled_body["settled_by"]["name"]) == (
        "answered",
        "client",
        "requester",
    )
    assert settled_body["answer"]["values"] == ANSWER["values"]
    late_reply = await (await api.as_("responder")).post(f"/v1/requests/{id_}/answer", json=ANSWER)
    assert (late_reply.status_code, late_reply.json()["error"]["request"]["source"]) == (409, "client")


async def test_a_reported_answer_is_checked_like_any_other(api: Api) -> None:
    id_ = await create_and_return_id(api, ask())
    refusal = await report(api, id_, {"revision": 1, "values": {}})
    assert (refusal.status_code, (await read(api, id_))["status"]) == (422, "pending")


async def test_the_first_answer_wins_over_the_reported_one(api: Api) -> None:
    id_ = await create_and_return_id(api, ask())
    await (await api.as_("responder")).post(f"/v1/requests/{id_}/answer", json=ANSWER)
    assert (await report(api, id_, ANSWER)).status_code == 409
    assert (await read(api, id_))["source"] == "responder"


async def test_a_report_that_is_sent_twice_is_a_replay(api: Api) -> None:
    id_ = await create_and_return_id(api, ask())
    key = {"Idempotency-Key": "k1"}
    first, second_report = [await report(api, id_, ANSWER, **key) for _ in range(2)]
    assert (first.status_code, second_report.status_code) == (200, 200)
    other = await report(api, id_, {"revision": 1, "declined": "refused"}, **key)
    assert other.status_code == 409


async def test_a_decline_of_any_request_is_reported(api: Api) -> None:
    for number, body in enumerate([ask(), APPROVAL, *OF_PEOPLE]):
        id_ = await create_and_return_id(api, {**body, "thread_id": f"t{number}"})
        settled_body = (await report(api, id_, {"revision": 1, "declined": "refused", "note": "no"})).json()
        assert (settled_body["status"], settled_body["reason"], settled_body["note"]) == (
            "declined",
            "refused",
            "no",
        )


@requirement("I2")
@pytest.mark.parametrize("body", [APPROVE, {**APPROVE, "decision": "deny"}])
async def test_an_agent_cannot_report_a_decision_about_its_own_call(api: Api, body: Any) -> None:
    id_ = await create_and_return_id(api, APPROVAL)
    refusal = await report(api, id_, body)
    assert (refusal.status_code, refusal.json()["error"]["code"]) == (403, "forbidden")
    assert (await read(api, id_))["status"] == "pending"
    log = (await (await api.as_("admin")).get("/v1/audit")).json()["entries"]
    assert [entry["attempted"] for entry in log if entry["action"] == "refused"] == ["report_answer"]


@pytest.mark.parametrize("decision", ["approve", "deny"])
async def test_an_operator_may_take_reported_decisions(decision: str) -> None:
    settings = load({"ASKBACK_REPORTED_APPROVALS": "on", "ASKBACK_MASTER_KEYS": "off"})
    bus = InProcessBus()
    app = create_app(settings, store=TemporaryStore(on_commit=bus.publish), bus=bus)
    async with app.running():
        api = Api(app, ManualClock())
        caller = (await (await api.as_("requester")).get("/v1/session")).json()
        assert caller["reported_approvals"] is True
        id_ = await create_and_return_id(api, APPROVAL)
        settled_body = (await report(api, id_, {**APPROVE, "decision": decision, "note": "fine"})).json()
        assert (settled_body["source"], settled_body["answer"]["note"]) == ("client", "fine")
        assert settled_body["answer"]["decision"] == decision


@pytest.mark.parametrize("body", OF_PEOPLE, ids=["assignees", "secret", "action"])
async def test_an_answer_to_a_request_with_assignees_cannot_be_reported(
    api: Api, body: dict[str, Any]
) -> None:
    id_ = await create_and_return_id(api, body)
    refusal = await report(api, id_, ANSWER)
    assert (refusal.status_code, refusal.json()["error"]["code"]) == (409, "not_reportable")


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"revision": 1}, "values"),
        ({**ANSWER, "decision": "deny"}, "decision"),
        ({**ANSWER, "note": "x"}, "note"),
        ({"revision": 1, "decision": "deny"}, "values"),
        ({"revision": 1, "values": []}, "values"),
        ({"revision": "1", "values": {}}, "revision"),
        ({"revision": 1, "declined": "skipped"}, "declined"),
    ],
)
async def test_a_wrong_report_is_refused_with_a_path(api: Api, body: Any, path: str) -> None:
    id_ = await create_and_return_id(api, ask())
    refusal = await report(api, id_, body)
    assert (refusal.status_code, refusal.json()["error"]["field_errors"][0]["path"]) == (422, path)


async def test_another_agent_cannot_report(api: Api) -> None:
    id_ = await create_and_return_id(api, ask())
    assert (await report(api, id_, ANSWER, "requester/other")).status_code == 404


async def read(api: Api, id_: str) -> dict[str, Any]:
    return (await (await api.as_("responder")).get(f"/v1/requests/{id_}")).json()
