"""Actions: links that are vetted, and outcomes that the person or the agent reports."""

from __future__ import annotations

from typing import Any

import pytest

from tests.requirements import requirement
from tests.transports.conftest import Api, ask

pytestmark = pytest.mark.anyio

LINK = {
    "title": "Install the plugin",
    "label": "Open the shop",
    "url": "https://shop.example.com/plugin?id=7",
}


def action(**changes: Any) -> dict[str, Any]:
    """Return the body of a small valid action."""
    return {"kind": "action", "thread_id": "t1", "action": LINK, **changes}


async def create_action(api: Api, **changes: Any) -> dict[str, Any]:
    reply = await (await api.as_("requester")).post("/v1/requests", json=action(**changes))
    assert reply.status_code == 201, reply.text
    return reply.json()


async def post(api: Api, who: str, path: str, body: Any, **headers: str) -> Any:
    return await (await api.as_(who, **headers)).post(path, json=body)


async def test_an_action_is_shown_with_the_host_of_its_link(api: Api) -> None:
    request = await create_action(api, metadata={"a": 1})
    assert (request["kind"], request["status"]) == ("action", "pending")
    assert request["action"] == {**LINK, "host": "shop.example.com"}


@pytest.mark.parametrize(
    ("body", "places"),
    [
        ({"title": "x", "url": "javascript:alert(1)"}, {"action.url": "invalid_link"}),
        (
            {"title": " ", "url": "https://a@b.example"},
            {"action.title": "empty", "action.url": "invalid_link"},
        ),
        ({"url": "https://a.example"}, {"action.title": "missing_required"}),
        ({"title": "x", "href": "https://a.example"}, {"action.href": "unknown_field"}),
        ({"title": "x", "label": "y" * 61}, {"action.label": "too_long"}),
        ({"title": "x\u202e"}, {"action.title": "control_chars"}),
        ({"title": "x", "url": 5}, {"action.url": "wrong_type"}),
        (
            {"title": "x", "secret": "A_KEY", "scopes": ["a"]},
            {"action.scopes": "no_provider", "action.secret": "no_provider"},
        ),
    ],
)
async def test_a_bad_action_is_refused_with_its_places(api: Api, body: Any, places: dict[str, str]) -> None:
    refusal = await post(api, "requester", "/v1/requests", action(action=body))
    errors = refusal.json()["error"]["field_errors"]
    assert (refusal.status_code, {error["path"]: error["code"] for error in errors}) == (422, places)
    assert (await (await api.as_("requester")).get("/v1/requests")).json()["requests"] == []


async def test_done_ends_the_request_with_that_outcome(api: Api) -> None:
    request = await create_action(api)
    reply = await post(
        api, "responder", f"/v1/requests/{request['id']}/answer", {"revision": 1, "outcome": "done"}
    )
    assert (reply.status_code, reply.json()["status"], reply.json()["source"]) == (
        200,
        "answered",
        "responder",
    )
    assert reply.json()["answer"] == {"outcome": "done"}


@requirement("A21")
async def test_a_failed_action_ends_as_failed_with_the_reason(api: Api) -> None:
    request = await create_action(api)
    body = {"revision": 1, "outcome": "failed", "reason": "The shop is closed."}
    reply = await post(api, "responder", f"/v1/requests/{request['id']}/answer", body)
    assert (reply.status_code, reply.json()["status"]) == (200, "answered")
    assert reply.json()["answer"] == {"outcome": "failed", "reason": "The shop is closed."}


@requirement("A21")
@pytest.mark.parametrize("who", ["person", "agent"])
async def test_a_failed_attempt_leaves_the_request_open_to_be_tried_again(api: Api, who: str) -> None:
    request = await create_action(api)
    failed = {"outcome": "failed", "reason": "Not installed yet.", "retry": True}
    path = f"/v1/requests/{request['id']}"
    if who == "person":
        noted = await post(api, "responder", f"{path}/answer", {"revision": 1, **failed})
    else:
        noted = await post(api, "requester", f"{path}/outcome", failed)
    assert (noted.status_code, noted.json()["status"], noted.json()["revision"]) == (200, "pending", 1)
    assert noted.json()["attempt"]["reason"] == "Not installed yet."
    body = (await post(api, "responder", f"{path}/shown", {})).json()
    assert body["attempt"] == noted.json()["attempt"]
    reply = await post(api, "responder", f"{path}/answer", {"revision": 1, "outcome": "done"})
    assert (reply.json()["status"], reply.json().get("attempt")) == ("answered", None)
    events = await api.app.services.store.thread_events("default", "t1", after=0)
    assert "request.attempted" in [event.type for event in events]


async def test_the_agent_reports_how_it_went_and_only_about_its_own_action(api: Api) -> None:
    request = await create_action(api)
    path = f"/v1/requests/{request['id']}/outcome"
    assert (await post(api, "requester/other", path, {"outcome": "done"})).status_code == 404
    reply = await post(api, "requester", path, {"outcome": "done"}, **{"Idempotency-Key": "k"})
    assert (reply.status_code, reply.json()["source"], reply.json()["answer"]) == (
        200,
        "requester",
        {"outcome": "done"},
    )
    second_reply = await post(api, "requester", path, {"outcome": "done"}, **{"Idempotency-Key": "k"})
    assert (second_reply.status_code, second_reply.headers["Idempotent-Replayed"]) == (200, "true")
    late_reply = await post(api, "requester", path, {"outcome": "failed", "retry": True})
    assert (late_reply.status_code, late_reply.json()["error"]["code"]) == (409, "already_settled")
    form = (await post(api, "requester", "/v1/requests", ask())).json()
    wrong = await post(api, "requester", f"/v1/requests/{form['id']}/outcome", {"outcome": "done"})
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (409, "not_an_action")


@pytest.mark.parametrize(
    ("body", "places"),
    [
        ({"outcome": "maybe"}, {"outcome": "unknown_value"}),
        ({}, {"outcome": "missing_required"}),
        ({"outcome": "done", "reason": "x"}, {"reason": "only_for_failures"}),
        ({"outcome": "done", "retry": True}, {"retry": "only_for_failures"}),
        ({"outcome": "failed", "reason": " "}, {"reason": "empty"}),
        ({"outcome": "failed", "reason": "x" * 2001}, {"reason": "too_long"}),
        ({"outcome": "failed", "reason": "a\u0007b"}, {"reason": "control_chars"}),
    ],
)
async def test_a_bad_report_is_refused_and_the_request_stays_open(
    api: Api, body: Any, places: dict[str, str]
) -> None:
    path = f"/v1/requests/{(await create_action(api))['id']}"
    for who, fault_path, sent in (
        ("responder", "answer", {"revision": 1, **body}),
        ("requester", "outcome", body),
    ):
        refusal = await post(api, who, f"{path}/{fault_path}", sent)
        errors = refusal.json()["error"]["field_errors"]
        assert (refusal.status_code, {error["path"]: error["code"] for error in errors}) == (422, places)
    assert (await (await api.as_("requester")).get(path)).json()["status"] == "pending"


async def test_an_action_with_a_validator_is_done_when_the_agent_has_checked_it(api: Api) -> None:
    path = f"/v1/requests/{(await create_action(api, validator='requester'))['id']}"
    sent = await post(api, "responder", f"{path}/answer", {"revision": 1, "outcome": "done"})
    assert (sent.json()["status"], sent.json()["submitted"]) == ("resolving", {"outcome": "done"})
    second_reply = await post(api, "requester", f"{path}/reprompt", {"error_summary": "It is not there yet."})
    assert (second_reply.json()["status"], second_reply.json()["error_summary"]) == (
        "pending",
        "It is not there yet.",
    )
    await post(api, "responder", f"{path}/answer", {"revision": 2, "outcome": "done"})
    wrong = await post(api, "requester", f"{path}/accept", {"values": {"a": 1}})
    assert (wrong.status_code, wrong.json()["error"]["field_errors"][0]["path"]) == (422, "values")
    reply = await post(api, "requester", f"{path}/accept", {})
    assert (reply.json()["status"], reply.json()["answer"]) == ("answered", {"outcome": "done"})


async def test_a_dismissed_action_is_not_asked_again_immediately(api: Api) -> None:
    request = await create_action(api)
    declined = await post(api, "responder", f"/v1/requests/{request['id']}/decline", {"reason": "dismissed"})
    assert (declined.status_code, declined.json()["status"]) == (200, "declined")
    second_reply = await post(api, "requester", "/v1/requests", action())
    assert (second_reply.status_code, second_reply.json()["id"], second_reply.json()["repeated"]) == (
        200,
        request["id"],
        True,
    )


async def test_the_audit_log_says_where_the_person_was_sent_and_how_it_went(api: Api) -> None:
    request = await create_action(api)
    body = {"revision": 1, "outcome": "failed", "reason": "PRIVATE"}
    await post(api, "responder", f"/v1/requests/{request['id']}/answer", body)
    log = await (await api.as_("admin")).get("/v1/audit")
    [entry] = [item for item in log.json()["entries"] if item.get("request_id") == request["id"]]
    assert (entry["action"], entry["outcome"], entry["host"]) == ("decide", "failed", "shop.example.com")
    assert "PRIVATE" not in log.text


async def test_lists_find_actions_by_their_kind(api: Api) -> None:
    made_request = await create_action(api)
    await post(api, "requester", "/v1/requests", ask())
    body = (await (await api.as_("responder")).get("/v1/requests", params={"kind": "action"})).json()
    assert [request["id"] for request in body["requests"]] == [made_request["id"]]
