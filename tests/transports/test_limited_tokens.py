"""A token that is limited to some threads cannot read or change anything in others."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from askback.wire.websocket import SUBPROTOCOL
from tests.requirements import requirement
from tests.signing_in import HALF
from tests.transports.conftest import ANSWER, BASE, Api, ask, create_request
from tests.transports.sockets import Socket

pytestmark = pytest.mark.anyio

APPROVAL = {"kind": "approval", "approval": {"tool": "deploy", "input": {"to": "prod"}}}
MESSAGE = {"content": [{"type": "text", "text": "Hello"}]}


async def create_limited_token(api: Api, role: str = "responder", **body: Any) -> dict[str, Any]:
    """Create a token for the threads `t1` and `shop-*`."""
    body = {"role": role, "threads": ["t1", "shop-*"], **body}
    reply = await (await api.as_("admin")).post("/v1/tokens", json=body)
    assert reply.status_code == 201, reply.text
    return reply.json()


def caller(api: Api, token: dict[str, Any]) -> httpx2.AsyncClient:
    return api.client(headers={"Authorization": f"Bearer {token['token']}"})


async def page_of(api: Api, token: dict[str, Any]) -> httpx2.AsyncClient:
    """Return a browser that signed in with a token."""
    browser = api.client()
    reply = await browser.post("/v1/sessions", json={"token": token["token"]}, headers={"Origin": BASE})
    assert reply.status_code == 201, reply.text
    browser.headers.update({HALF: reply.json()["session"], "Origin": BASE})
    return browser


@requirement("N15")
@pytest.mark.parametrize("with_session", [False, True])
async def test_a_person_with_a_limited_token_finds_nothing_in_another_thread(
    api: Api, with_session: bool
) -> None:
    token = await create_limited_token(api)
    person = await page_of(api, token) if with_session else caller(api, token)
    request, present_request = (
        await create_request(api, thread_id="shop-7"),
        await create_request(api, thread_id="t2"),
    )
    for method, path, body in (
        ("GET", "/v1/threads/t2", None),
        ("GET", "/v1/threads/t2/events", None),
        ("GET", "/v1/threads/t2/access", None),
        ("PUT", "/v1/threads/t2/access", {"owner": "mallory"}),
        ("POST", "/v1/threads/t2/messages", MESSAGE),
        ("POST", "/v1/threads/t2/archive", None),
        ("GET", "/v1/threads/t2/export", None),
        ("DELETE", "/v1/threads/t2", None),
        ("GET", "/v1/limits?thread_id=t2", None),
        ("GET", "/v1/policy?thread_id=t2", None),
        ("POST", "/v1/policy", {"thread_id": "t2", "mode": "plan"}),
        ("GET", f"/v1/requests/{present_request['id']}", None),
        ("POST", f"/v1/requests/{present_request['id']}/answer", ANSWER),
        ("POST", f"/v1/requests/{present_request['id']}/decline", {"reason": "dismissed"}),
        ("POST", "/v1/rules", {"rule": "make test", "scope": "thread", "thread_id": "t2"}),
    ):
        reply = await person.request(method, path, json=body)
        assert reply.status_code == 404, (method, path, reply.text)
    requests = (await person.get("/v1/requests")).json()["requests"]
    assert [item["id"] for item in requests] == [request["id"]]
    assert (await person.get("/v1/requests?thread_id=t2")).json()["requests"] == []
    assert (await person.get("/v1/threads/shop-7")).status_code == 200
    assert (await person.post(f"/v1/requests/{request['id']}/answer", json=ANSWER)).status_code == 200
    state = await (await api.as_("responder")).get(f"/v1/requests/{present_request['id']}")
    assert state.json()["status"] == "pending"


@requirement("N15")
async def test_a_person_with_a_limited_token_changes_nothing_for_more_than_its_threads(api: Api) -> None:
    person = caller(api, await create_limited_token(api))
    agent = (await (await api.as_("admin")).post("/v1/agents", json={"name": "shop"})).json()
    rule = (await (await api.as_("admin")).post("/v1/rules", json={"rule": "make test"})).json()
    request = (
        await (await api.as_("requester")).post("/v1/requests", json={**APPROVAL, "thread_id": "t1"})
    ).json()
    always = {"revision": 1, "decision": "approve", "scope": "always"}
    for method, path, body in (
        ("POST", "/v1/rules", {"rule": "make deploy"}),
        ("DELETE", f"/v1/rules/{rule['id']}", None),
        ("POST", f"/v1/agents/{agent['id']}/stop", None),
        ("POST", f"/v1/agents/{agent['id']}/roots", {"path": "/"}),
        ("POST", f"/v1/requests/{request['id']}/answer", always),
    ):
        reply = await person.request(method, path, json=body)
        assert reply.status_code == 403, (method, path, reply.text)
    thread_rule = {"rule": "make deploy", "scope": "thread", "thread_id": "t1"}
    assert (await person.post("/v1/rules", json=thread_rule)).status_code == 201
    decision = {"revision": 1, "decision": "approve"}
    assert (await person.post(f"/v1/requests/{request['id']}/answer", json=decision)).status_code == 200


@requirement("N15")
async def test_a_person_with_a_limited_token_reads_no_rule_agent_or_policy_of_the_whole_tenant(
    api: Api,
) -> None:
    person = caller(api, await create_limited_token(api))
    agent = (await (await api.as_("admin")).post("/v1/agents", json={"name": "shop"})).json()
    call = {"tool": "bash", "input": {"command": "make test"}}
    for method, path, body in (
        ("GET", "/v1/rules", None),
        ("GET", "/v1/rules?project=/srv/shop", None),
        ("GET", "/v1/rules?thread_id=t1&project=/srv/shop", None),
        ("GET", "/v1/rules/export", None),
        ("GET", "/v1/rules/built-in", None),
        ("POST", "/v1/rules/try", {"call": call}),
        ("GET", "/v1/policy", None),
        ("GET", "/v1/agents", None),
        ("GET", f"/v1/agents/{agent['id']}", None),
    ):
        reply = await person.request(method, path, json=body)
        assert reply.status_code == 403, (method, path, reply.text)
    rules = {}
    for thread in ("t1", "t2"):
        body = {"rule": "make test", "scope": "thread", "thread_id": thread}
        rules[thread] = (await (await api.as_("responder")).post("/v1/rules", json=body)).json()
    page = (await person.get("/v1/rules?thread_id=t1")).json()
    assert [rule["id"] for rule in page["rules"]] == [rules["t1"]["id"]]
    assert (await person.get("/v1/rules?thread_id=t2")).json()["rules"] == []
    assert (await person.get("/v1/policy?thread_id=t1")).status_code == 200
    trial = await person.post("/v1/rules/try", json={"call": call, "thread_id": "t1"})
    assert trial.json()["now"]["decision"] == "allow"


@requirement("N15")
async def test_an_agent_with_a_limited_token_finds_nothing_in_another_thread(api: Api) -> None:
    whole_body = (
        await (await api.as_("admin")).post("/v1/tokens", json={"role": "requester", "agent": "shop"})
    ).json()
    part = caller(api, await create_limited_token(api, "requester", agent="shop"))
    unlimited_agent = caller(api, whole_body)
    other_body = (
        await unlimited_agent.post("/v1/requests", json=ask(thread_id="t2", delivery="resume"))
    ).json()
    for method, path, body in (
        ("POST", "/v1/requests", ask(thread_id="t2")),
        ("POST", "/v1/requests", {**APPROVAL, "thread_id": "t2"}),
        ("GET", f"/v1/requests/{other_body['id']}", None),
        ("POST", f"/v1/requests/{other_body['id']}/cancel", {}),
        ("GET", "/v1/threads/t2/resumes", None),
        ("GET", "/v1/threads/t2", None),
        ("POST", "/v1/threads/t2/messages", MESSAGE),
        ("POST", "/v1/secrets/lease", {"thread_id": "t2", "names": ["KEY"]}),
    ):
        reply = await part.request(method, path, json=body)
        assert reply.status_code == 404, (method, path, reply.text)
    assert (await part.get("/v1/requests")).json()["requests"] == []
    assert (await part.post("/v1/requests", json=ask(thread_id="t1"))).status_code == 201
    assert (await part.get("/v1/threads/t1/resumes")).status_code == 200


@requirement("N15")
async def test_a_limited_token_gets_and_ends_the_resumes_of_its_threads_alone(api: Api) -> None:
    whole_body = (
        await (await api.as_("admin")).post("/v1/tokens", json={"role": "requester", "agent": "shop"})
    ).json()
    unlimited_agent, part = (
        caller(api, whole_body),
        caller(api, await create_limited_token(api, "requester", agent="shop")),
    )
    ended: dict[str, str] = {}
    for thread in ("t2", "shop-1", "t1"):
        body = ask(thread_id=thread, delivery="resume")
        request = (await unlimited_agent.post("/v1/requests", json=body)).json()
        reply = await (await api.as_("responder")).post(f"/v1/requests/{request['id']}/answer", json=ANSWER)
        assert reply.status_code == 200
        ended[thread] = request["id"]
    own_resumes = (await part.get("/v1/resumes")).json()["resumes"]
    assert {resume["thread_id"]: resume["request_id"] for resume in own_resumes} == {
        thread: ended[thread] for thread in ("t1", "shop-1")
    }
    assert (await part.get("/v1/resumes")).json()["resumes"] == []
    [other_resume] = (await unlimited_agent.get("/v1/resumes")).json()["resumes"]
    assert other_resume["request_id"] == ended["t2"]
    for item, who, status in (
        (other_resume, part, 404),
        (other_resume, unlimited_agent, 200),
        (own_resumes[0], part, 200),
    ):
        ack = await who.post(f"/v1/resumes/{item['id']}/ack", json={"attempt": item["attempt"]})
        assert ack.status_code == status, ack.text


@requirement("N15")
async def test_a_limited_token_gets_no_event_of_another_thread_over_a_websocket(api: Api) -> None:
    token = await create_limited_token(api)
    headers = {"Authorization": f"Bearer {token['token']}"}
    peer = Socket(api.app, headers=headers, subprotocols=[SUBPROTOCOL])
    assert (await peer.message())["type"] == "websocket.accept"
    peer.send("subscribe", thread_id="t2")
    assert (await peer.frame())["error"]["status"] == 404
    peer.send("subscribe", inbox=True)
    assert "error" not in await peer.frame()
    await create_request(api, thread_id="t2")
    request = await create_request(api, thread_id="t1")
    assert (await peer.frame())["event"]["request"]["id"] == request["id"]
    await peer.leave()


@requirement("N15")
async def test_an_admins_token_is_limited_to_no_thread(api: Api) -> None:
    body = {"role": "admin", "threads": ["t1"]}
    reply = await (await api.as_("admin")).post("/v1/tokens", json=body)
    assert reply.status_code == 422
    assert [error["path"] for error in reply.json()["error"]["field_errors"]] == ["threads"]
