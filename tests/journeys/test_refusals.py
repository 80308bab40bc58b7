"""A refusal is remembered for a while, and only people can lift it (ADR 0036)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from askback.domain.limits import DEFAULTS
from askback.server.app import create_app
from tests.requirements import requirement
from tests.transports.conftest import Api, ManualClock

pytestmark = pytest.mark.anyio

FORM = {"kind": "form", "form": {"fields": [{"id": "a", "type": "text", "label": "Proceed?"}]}}
SECRET = {"kind": "secret", "secret": {"names": ["A_KEY"], "reason": "to call the CRM"}}


def call(command: str = "make w", **extra: Any) -> dict[str, Any]:
    """Return the body of a request to run a command."""
    return {"kind": "approval", "approval": {"tool": "bash", "input": {"command": command, **extra}}}


@pytest.fixture
async def api() -> AsyncIterator[Api]:
    clock = ManualClock()
    app = create_app(clock=clock)
    async with app.running():
        yield Api(app, clock)


async def ask(api: Api, body: dict[str, Any], who: str = "requester", **extra: Any) -> httpx2.Response:
    return await (await api.as_(who)).post("/v1/requests", json={"thread_id": "t1", **body, **extra})


async def refuse(api: Api, reply: httpx2.Response, **extra: Any) -> dict[str, Any]:
    """Deny a call; dismiss anything else."""
    request, person = reply.json(), await api.as_("responder")
    assert request["status"] == "pending", request
    step, body = "decline", {"reason": "dismissed", **extra}
    if request["kind"] == "approval":
        step, body = "answer", {"revision": 1, "decision": "deny", **extra}
    ended_reply = await person.post(f"/v1/requests/{request['id']}/{step}", json=body)
    assert ended_reply.status_code == 200
    return ended_reply.json()


def is_repeated_refusal(reply: httpx2.Response, refusal: dict[str, Any]) -> bool:
    """Return whether nobody was asked, because of that refusal."""
    request = reply.json()
    return (reply.status_code, request["id"], request.get("repeated")) == (200, refusal["id"], True)


@requirement("N14", "B17")
async def test_the_same_call_is_refused_however_it_is_written_for_ten_minutes(api: Api) -> None:
    refusal = await refuse(api, await ask(api, call()))
    same = [
        *map(
            call, (" make   w ", "'make' w;", "(make w)", "make w # again", "bash -c 'make w'", "make w 2>&1")
        ),
        call(description="builds it"),
        call(timeout=5),
        {"kind": "approval", "approval": {"tool": "bash", "input": {"argv": ["make", "w"]}}},
    ]
    for body in same:
        assert is_repeated_refusal(await ask(api, body, run_id="another"), refusal)
    agents = [
        (await (await api.as_(person)).get("/v1/session")).json()["principal"]["id"]
        for person in ("requester", "requester/b")
    ]
    access = await (await api.as_("admin")).put("/v1/threads/t1/access", json={"agents": agents})
    assert access.status_code == 200, access.text
    other_cases = [
        (call(command), {}) for command in ("make x", "make w > log", "make w && make x", "V=1 make w")
    ]
    for body, extra in (*other_cases, (call(), {"thread_id": "t2"}), (call(), {"who": "requester/b"})):
        assert (await ask(api, body, **extra)).json()["status"] == "pending"
    api.clock.advance(seconds=DEFAULTS.refusal_s)
    assert (await ask(api, call())).json()["status"] == "pending"


@requirement("N14")
@pytest.mark.parametrize("body", [call(), FORM, SECRET], ids=["approval", "form", "secret"])
async def test_only_people_lift_a_refusal(api: Api, body: dict[str, Any]) -> None:
    message = {"content": [{"type": "text", "text": "oops, ask me again"}]}
    refusal = await refuse(api, await ask(api, body))
    agent, person = await api.as_("requester"), await api.as_("responder")
    assert (await agent.post("/v1/threads/t1/messages", json=message)).status_code == 201
    assert (await agent.post(f"/v1/requests/{refusal['id']}/ask-again", json={})).status_code == 403
    assert is_repeated_refusal(await ask(api, body), refusal)
    assert (await person.post("/v1/threads/t1/messages", json=message)).status_code == 201
    refusal = await refuse(api, await ask(api, body))
    assert is_repeated_refusal(await ask(api, body), refusal)
    lift_reply = await person.post(f"/v1/requests/{refusal['id']}/ask-again", json={})
    assert (lift_reply.status_code, lift_reply.json()["id"]) == (200, refusal["id"])
    assert (await ask(api, body)).json()["status"] == "pending"


@requirement("N14")
async def test_an_answer_that_starts_a_run_lifts_earlier_refusals(api: Api) -> None:
    refusal = await refuse(api, await ask(api, call()))
    question = (await ask(api, FORM, delivery="resume")).json()
    assert is_repeated_refusal(await ask(api, call()), refusal)
    person = await api.as_("responder")
    body = {"revision": 1, "values": {"a": "yes, go on"}}
    assert (await person.post(f"/v1/requests/{question['id']}/answer", json=body)).status_code == 200
    assert (await ask(api, call())).json()["status"] == "pending"


@requirement("N14")
async def test_the_third_refusal_within_an_hour_is_remembered_for_a_day(api: Api) -> None:
    for count in (1, 2, 3):
        refusal = await refuse(api, await ask(api, call()))
        assert refusal["refusal"]["count"] == count
        if count < 3:
            api.clock.advance(seconds=DEFAULTS.refusal_s)
    api.clock.advance(seconds=DEFAULTS.refusal_long_s - 1)
    assert is_repeated_refusal(await ask(api, call()), refusal)
    api.clock.advance(seconds=1)
    assert (await ask(api, call())).json()["status"] == "pending"


@requirement("N14")
async def test_an_approval_that_is_not_remembered_is_asked_again(api: Api) -> None:
    for body in (call(), FORM, SECRET):
        refusal = await refuse(api, await ask(api, body), remember=False)
        assert "refusal" not in refusal
        assert (await ask(api, body)).json()["status"] == "pending"


@requirement("N14")
async def test_only_a_form_may_be_repeated_after_a_refusal(api: Api) -> None:
    await refuse(api, await ask(api, FORM))
    assert (await ask(api, FORM, repeat="ask")).json()["status"] == "pending"
    for body in (call(), SECRET):
        reply = await ask(api, body, repeat="ask")
        assert reply.json()["error"]["field_errors"][0]["path"] == "repeat"


@requirement("N19")
async def test_a_request_settled_on_creation_creates_one_resume(api: Api) -> None:
    admin = await api.as_("admin")
    kept_reply = await admin.post("/v1/secrets", json={"name": "A_KEY", "value": "v", "scope": "global"})
    assert (
        await admin.put(f"/v1/secrets/{kept_reply.json()['id']}/agents", json={"agents": "all"})
    ).is_success
    present = {"kind": "secret", "secret": {**SECRET["secret"], "default_scope": "global"}}
    other = {"kind": "secret", "secret": {"names": ["B_KEY"], "reason": "to call the CRM"}}
    for body in (call(), FORM, other):
        await refuse(api, await ask(api, body))
    agent = await api.as_("requester")
    for body in (present, call("ls"), call(), FORM, other):
        agent_with_key = await api.as_("requester", **{"Idempotency-Key": repr(body)})
        for _ in range(2):
            reply = await agent_with_key.post(
                "/v1/requests", json={"thread_id": "t1", "delivery": "resume", **body}
            )
            assert reply.json()["status"] != "pending"
        [resume] = (await agent.get("/v1/threads/t1/resumes")).json()["resumes"]
        assert resume["request_id"] == reply.json()["id"]
        assert resume["request"].get("repeated") == reply.json().get("repeated")
        acknowledged = await agent.post(f"/v1/resumes/{resume['id']}/ack", json={"attempt": 1})
        assert acknowledged.status_code in (200, 204)
    silent = await ask(api, call("ls"), delivery="resume", auto_resume=False)
    assert silent.status_code == 201
    assert (await agent.get("/v1/threads/t1/resumes")).json()["resumes"] == []


SENSITIVE = {
    "kind": "form",
    "form": {"fields": [{"id": "b", "type": "text", "label": "PIN", "sensitive": True}]},
}
OTHER_SECRET = {"kind": "secret", "secret": {"names": ["B_KEY"], "reason": "to call the CRM"}}
ACTION = {"kind": "action", "action": {"title": "Install it", "url": "https://shop.example/a"}}


@requirement("N14")
@pytest.mark.parametrize(
    ("body", "answer", "lifts"),
    [
        (FORM, {"values": {"a": "yes"}}, True),
        ({**FORM, "validator": "requester"}, {"values": {"a": "yes"}}, True),
        (SENSITIVE, {"values": {"b": "4711"}}, True),
        (call("make x"), {"decision": "approve"}, True),
        (call("make x"), {"decision": "deny"}, False),
    ],
    ids=["form", "checked form", "sensitive form", "approval", "denial"],
)
async def test_every_kind_of_answer_that_starts_a_run_lifts_refusals(
    api: Api, body: dict[str, Any], answer: dict[str, Any], lifts: bool
) -> None:
    refusal = await refuse(api, await ask(api, call()))
    request = (await ask(api, body, delivery="resume")).json()
    agent, person = await api.as_("requester"), await api.as_("responder")
    path = f"/v1/requests/{request['id']}"
    answer_reply = await person.post(f"{path}/answer", json={"revision": 1, **answer})
    if "validator" in body:
        assert is_repeated_refusal(await ask(api, call()), refusal)
        answer_reply = await agent.post(f"{path}/accept", json={})
    assert (answer_reply.status_code, answer_reply.json()["status"]) == (200, "answered")
    assert is_repeated_refusal(await ask(api, call()), refusal) is not lifts


@requirement("N14")
async def test_submitted_secrets_that_start_a_run_lift_refusals(api: Api) -> None:
    await refuse(api, await ask(api, call()))
    request = (await ask(api, OTHER_SECRET, delivery="resume")).json()
    person = await api.as_("responder")
    body = {"revision": 1, "secrets": {"B_KEY": "value"}, "scope": "session"}
    submit_reply = await person.post(f"/v1/requests/{request['id']}/answer", json=body)
    assert (submit_reply.status_code, submit_reply.json()["status"]) == (200, "answered"), submit_reply.text
    assert (await ask(api, call())).json()["status"] == "pending"


@requirement("N14")
async def test_the_outcome_that_an_agent_reports_lifts_nothing(api: Api) -> None:
    refusal = await refuse(api, await ask(api, call()))
    request = (await ask(api, ACTION, delivery="resume")).json()
    agent = await api.as_("requester")
    report_reply = await agent.post(f"/v1/requests/{request['id']}/outcome", json={"outcome": "done"})
    assert (report_reply.status_code, report_reply.json()["status"]) == (200, "answered"), report_reply.text
    assert is_repeated_refusal(await ask(api, call()), refusal)
