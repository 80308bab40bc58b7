"""The request routes: create, read, list, settle, replay and refuse."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest

from tests.requirements import requirement
from tests.transports.conftest import ANSWER, Api, ask, create_request

pytestmark = pytest.mark.anyio


@requirement("G1")
async def test_a_request_goes_from_asked_to_answered(api: Api) -> None:
    agent, person = await api.as_("requester"), await api.as_("responder/Ada")
    reply = await agent.post("/v1/requests", json=ask(timeout_s=60))
    assert reply.status_code == 201
    request = reply.json()
    assert (request["status"], request["revision"], request["requester"]["name"]) == (
        "pending",
        1,
        "requester",
    )
    path = f"/v1/requests/{request['id']}"
    assert (await person.get(path)).json() == request
    answered_reply = await person.post(f"{path}/answer", json=ANSWER)
    assert answered_reply.status_code == 200
    assert answered_reply.json()["answer"] == {"values": {"dish": "soup"}}
    assert answered_reply.json()["settled_by"]["name"] == "Ada"
    assert (await agent.get(path)).text == answered_reply.text


async def test_an_idempotency_key_returns_the_first_request(api: Api) -> None:
    agent = await api.as_("requester", **{"Idempotency-Key": "k1"})
    first_reply = await agent.post("/v1/requests", json=ask())
    second_reply = await agent.post("/v1/requests", json=ask())
    assert (first_reply.status_code, second_reply.status_code) == (201, 201)
    assert second_reply.headers["idempotent-replayed"] == "true"
    assert second_reply.json() == first_reply.json()
    other_reply = await agent.post("/v1/requests", json=ask(thread_id="t2"))
    assert other_reply.status_code == 422
    assert other_reply.json()["error"]["code"] == "idempotency_mismatch"


@requirement("M4")
async def test_an_answer_repeated_with_its_key_is_replayed_and_without_it_refused(api: Api) -> None:
    request = await create_request(api)
    person = await api.as_("responder")
    path = f"/v1/requests/{request['id']}/answer"
    first_reply = await person.post(path, json=ANSWER, headers={"Idempotency-Key": "a"})
    second_reply = await person.post(path, json=ANSWER, headers={"Idempotency-Key": "a"})
    assert (second_reply.status_code, second_reply.headers["idempotent-replayed"]) == (200, "true")
    assert second_reply.json() == {**first_reply.json(), "submission": "accepted"}
    late_reply = await person.post(path, json=ANSWER)
    assert late_reply.status_code == 409
    assert late_reply.json()["error"]["code"] == "already_settled"
    assert late_reply.json()["error"]["request"] == first_reply.json()


async def test_a_stale_revision_gets_the_current_request(api: Api) -> None:
    request = await create_request(api)
    late_reply = await (await api.as_("responder")).post(
        f"/v1/requests/{request['id']}/answer", json={**ANSWER, "revision": 7}
    )
    assert (late_reply.status_code, late_reply.json()["error"]["code"]) == (409, "stale_revision")
    assert late_reply.json()["error"]["request"] == request


async def test_an_expired_request_is_gone_and_says_when(api: Api) -> None:
    request = await create_request(api, timeout_s=60)
    api.clock.advance(seconds=61)
    agent, person = await api.as_("requester"), await api.as_("responder")
    with anyio.fail_after(120):
        ended_reply = await agent.get(f"/v1/requests/{request['id']}", params={"wait": 9})
    assert ended_reply.json()["status"] == "expired"
    late_reply = await person.post(f"/v1/requests/{request['id']}/answer", json=ANSWER)
    assert (late_reply.status_code, late_reply.json()["error"]["request"]) == (410, ended_reply.json())


async def test_lists_are_newest_first_in_pages_and_filtered(api: Api) -> None:
    first_request, second_request, third_request = [
        await create_request(api, thread_id=f"t{i}") for i in (1, 2, 1)
    ]
    agent, person = await api.as_("requester"), await api.as_("responder")
    await agent.post(f"/v1/requests/{second_request['id']}/cancel", json={"reason": "superseded"})

    async def ids(**params: str | list[str]) -> list[str]:
        return [
            request["id"] for request in (await person.get("/v1/requests", params=params)).json()["requests"]
        ]

    page = (await person.get("/v1/requests", params={"limit": "2"})).json()
    assert [r["id"] for r in page["requests"]] == [third_request["id"], second_request["id"]]
    assert await ids(cursor=page["next_cursor"]) == [first_request["id"]]
    assert await ids(thread_id="t1") == [third_request["id"], first_request["id"]]
    assert await ids(status="cancelled,answered") == [second_request["id"]]
    assert await ids(status=["pending", "cancelled"]) == [
        third_request["id"],
        second_request["id"],
        first_request["id"],
    ]
    assert await ids(kind="approval") == []


async def test_a_brief_list_has_what_a_row_shows_and_nothing_long(api: Api) -> None:
    agent, person = await api.as_("requester"), await api.as_("responder")
    long = "x" * 1_900
    fields = [{"type": "text", "id": name, "label": name, "description": long} for name in ("dish", "drink")]
    form = {"fields": fields}
    await create_request(api, form=form)
    call = {
        "tool": "bash",
        "input": {"command": f"make {long}"},
        "reason": "To **see**",
        "risk": {"level": "danger"},
    }
    made_reply = await agent.post(
        "/v1/requests", json={"kind": "approval", "thread_id": "t1", "approval": call}
    )
    assert made_reply.status_code == 201, made_reply.text
    whole_requests = (await person.get("/v1/requests")).json()["requests"]
    reply = await person.get("/v1/requests", params={"brief": "true"})
    assert len(reply.text) < 2_000
    approval, question = reply.json()["requests"]
    assert (question["form"], question["questions"]) == ({"title": "dish"}, 2)
    assert approval["approval"]["digest"] == whole_requests[0]["approval"]["digest"]
    assert approval["approval"]["risk"] == {"level": "danger"}
    assert approval["approval"]["reason"] == "To **see**"
    assert approval["view"]["markdown"] == whole_requests[0]["view"]["markdown"]
    assert list(approval["view"]["markdown"]) == ["approval.reason"]
    same = ("id", "status", "revision", "thread_id", "requester", "created_at", "level")
    assert [[request[name] for name in same] for request in whole_requests] == [
        [item[name] for name in same] for item in (approval, question)
    ]


@pytest.mark.parametrize(
    ("description", "title"),
    [
        ("Which **one**?", "Which one?"),
        ({"en": "Which **one**?", "de": "`Was`?"}, {"en": "Which one?", "de": "Was?"}),
    ],
)
async def test_a_brief_form_without_names_is_called_by_its_description_without_markdown(
    api: Api, description: str | dict[str, str], title: str | dict[str, str]
) -> None:
    await create_request(api, form={"description": description, "fields": [{"type": "text", "id": "one"}]})
    reply = await (await api.as_("responder")).get("/v1/requests", params={"brief": "true"})
    [question] = reply.json()["requests"]
    assert question["form"] == {"title": title}


@pytest.mark.parametrize(
    ("params", "path", "code"),
    [
        ({"limit": "0"}, "limit", "below_min"),
        ({"limit": "201"}, "limit", "above_max"),
        ({"limit": "x"}, "limit", "wrong_type"),
        ({"limit": "1.5"}, "limit", "wrong_type"),
        ({"status": "open"}, "status", "unknown_value"),
        ({"kind": "question"}, "kind", "unknown_value"),
        ({"q": "deploy"}, "q", "unknown_field"),
        ({"staus": "pending", "limit": "1"}, "staus", "unknown_field"),
        ({"limit": ["1", "2"]}, "limit", "duplicate_value"),
        ({"thread_id": ["t1", "t1"]}, "thread_id", "duplicate_value"),
    ],
)
async def test_a_bad_query_is_refused_by_name(api: Api, params: dict[str, Any], path: str, code: str) -> None:
    refusal = await (await api.as_("responder")).get("/v1/requests", params=params)
    assert refusal.status_code == 422
    assert [(error["path"], error["code"]) for error in refusal.json()["error"]["field_errors"]] == [
        (path, code)
    ]


@pytest.mark.parametrize("value", ["-1", "61", "nan", "inf", "soon"])
async def test_a_bad_wait_is_refused(api: Api, value: str) -> None:
    request = await create_request(api)
    refusal = await (await api.as_("requester")).get(f"/v1/requests/{request['id']}", params={"wait": value})
    assert (refusal.status_code, refusal.json()["error"]["field_errors"][0]["path"]) == (422, "wait")


@requirement("G6")
async def test_a_long_poll_returns_as_soon_as_the_request_is_settled(api: Api) -> None:
    request = await create_request(api)
    agent, person = await api.as_("requester"), await api.as_("responder")
    outcomes: list[str] = []

    async def poll() -> None:
        outcomes.append(
            (await agent.get(f"/v1/requests/{request['id']}", params={"wait": 60})).json()["status"]
        )

    with anyio.fail_after(120):
        async with anyio.create_task_group() as tasks:
            for _ in range(20):
                tasks.start_soon(poll)
            await anyio.wait_all_tasks_blocked()
            assert outcomes == []
            await person.post(f"/v1/requests/{request['id']}/answer", json=ANSWER)
    assert outcomes == ["answered"] * 20


@requirement("G6")
async def test_a_long_poll_without_news_is_204_and_can_be_repeated(api: Api) -> None:
    request = await create_request(api)
    agent = await api.as_("requester")
    with anyio.fail_after(120):
        for _ in range(2):
            quiet = await agent.get(f"/v1/requests/{request['id']}", params={"wait": "0.01"})
            assert (quiet.status_code, quiet.content) == (204, b"")
    reply = await agent.get(f"/v1/requests/{request['id']}", params={"wait": "60", "revision": "9"})
    assert reply.json() == request


async def test_a_long_poll_whose_client_left_leaves_no_listener(api: Api) -> None:
    request = await create_request(api)
    agent = await api.as_("requester")
    with anyio.move_on_after(0.05):
        await agent.get(f"/v1/requests/{request['id']}", params={"wait": 60})
    await anyio.wait_all_tasks_blocked()
    assert api.app.services.bus.topic_count() == 0  # type: ignore[attr-defined]  # InProcessBus


@requirement("I7")
@pytest.mark.parametrize("method", ["PUT", "DELETE"])
async def test_a_live_request_cannot_be_written_by_any_other_route(api: Api, method: str) -> None:
    request = await create_request(api)
    person = await api.as_("admin", **{"X-HTTP-Method-Override": "POST"})
    for path in (f"/v1/requests/{request['id']}", f"/v1/requests/{request['id']}/answer"):
        refusal = await person.request(method, path, json=ANSWER)
        assert refusal.status_code == 405
        assert refusal.json()["error"]["code"] == "method_not_allowed"
        assert "POST" in refusal.headers["allow"] or "GET" in refusal.headers["allow"]
    assert (await person.get(f"/v1/requests/{request['id']}")).json() == request


@requirement("I7")
async def test_people_cannot_change_a_live_request(api: Api) -> None:
    request = await create_request(api)
    for role in ("responder", "admin"):
        refusal = await (await api.as_(role)).patch(
            f"/v1/requests/{request['id']}", json={"error_summary": "x"}
        )
        assert (refusal.status_code, refusal.json()["error"]["code"]) == (403, "forbidden")
    assert (await (await api.as_("admin")).get(f"/v1/requests/{request['id']}")).json() == request


async def test_a_method_override_is_not_obeyed(api: Api) -> None:
    request = await create_request(api)
    person = await api.as_("responder", **{"X-HTTP-Method-Override": "POST", "X-Method-Override": "POST"})
    assert (await person.get(f"/v1/requests/{request['id']}/answer")).status_code == 405


async def test_texts_come_in_the_language_of_the_caller(api: Api) -> None:
    request = await create_request(api)
    person = await api.as_("responder", **{"Accept-Language": "de-AT,de;q=0.9"})
    refusal = await person.post(
        f"/v1/requests/{request['id']}/answer", json={"revision": 1, "values": {"dish": None}}
    )
    assert refusal.status_code == 422
    assert refusal.json()["error"]["field_errors"] == [
        {"path": "values.dish", "code": "required_missing", "message": "Dieses Feld ist erforderlich."}
    ]


async def test_thread_ids_may_hold_slashes_and_other_scripts(api: Api) -> None:
    agent = await api.as_("requester")
    for thread_id, step in (("a/b", "a%2Fb"), ("größe ☃", "gr%C3%B6%C3%9Fe%20%E2%98%83"), ("...", "...")):
        sent_reply = await agent.post(
            f"/v1/threads/{step}/messages", json={"content": [{"type": "text", "text": "hi"}]}
        )
        assert sent_reply.status_code == 201, sent_reply.text
        assert (await agent.get(f"/v1/threads/{step}")).json()["id"] == thread_id


@pytest.mark.parametrize("step", ["%2e", "%2e%2e"])
async def test_a_thread_whose_page_no_browser_could_open_cannot_be_started(api: Api, step: str) -> None:
    agent = await api.as_("requester")
    for call, body in (("messages", {"content": [{"type": "text", "text": "hi"}]}), ("runs", {})):
        refusal = await agent.post(f"/v1/threads/{step}/{call}", json=body)
        assert refusal.status_code == 422
        faults = refusal.json()["error"]["field_errors"]
        assert [(item["path"], item["code"]) for item in faults] == [("thread_id", "reserved_id")]
    assert (await agent.get("/v1/threads")).json()["threads"] == []


@pytest.mark.parametrize(
    ("path", "body"),
    [("policy", {"thread_id": "..", "mode": "plan"}), ("limits/reset", {"thread_id": ".."})],
)
async def test_nothing_is_set_for_a_thread_that_cannot_be_started(
    api: Api, path: str, body: dict[str, Any]
) -> None:
    refusal = await (await api.as_("admin")).post(f"/v1/{path}", json=body)
    assert refusal.status_code == 422
    faults = refusal.json()["error"]["field_errors"]
    assert [(item["path"], item["code"]) for item in faults] == [("thread_id", "reserved_id")]


async def test_messages_are_added_appended_to_and_replayed(api: Api) -> None:
    agent = await api.as_("requester")
    body = {"content": [{"type": "text", "text": "Hel"}]}
    first_reply = await agent.post("/v1/threads/t9/messages", json=body, headers={"Idempotency-Key": "m"})
    second_reply = await agent.post("/v1/threads/t9/messages", json=body, headers={"Idempotency-Key": "m"})
    assert (first_reply.status_code, second_reply.status_code, second_reply.json()) == (
        201,
        201,
        first_reply.json(),
    )
    further_reply = await agent.post(
        "/v1/threads/t9/messages", json={"append_to": first_reply.json()["id"], "text": "lo"}
    )
    assert (further_reply.status_code, further_reply.json()) == (200, {})
    thread = (await agent.get("/v1/threads/t9")).json()
    assert thread["seq"] == 2
    assert thread["messages"][0]["content"] == [{"type": "text", "text": "Hello"}]


@requirement("L3", "L4")
async def test_limits_are_listed(api: Api) -> None:
    limits = (await (await api.as_("requester")).get("/v1/limits")).json()
    assert (limits["body_bytes"], limits["fields"], limits["pattern"]) == (64 * 1024, 100, 200)


async def test_a_stored_request_is_sent_without_being_encoded_again(api: Api) -> None:
    request = await create_request(api, thread_id="snow ☃")
    sent_reply = await (await api.as_("requester")).get(f"/v1/requests/{request['id']}")
    record = await api.app.services.store.get("default", request["id"])
    assert record is not None
    assert sent_reply.text == record.wire
    assert json.loads(record.wire)["thread_id"] == "snow ☃"


@pytest.mark.requirement("M1")
@pytest.mark.parametrize("text", ["1e2", "1_0", "１０", " 10", "+10", "0x10", "nan", "inf", "", "9" * 400])
async def test_a_number_in_the_query_needs_plain_digits(api: Api, text: str) -> None:
    agent = await api.as_("requester")
    for path, name in (("/v1/requests", "limit"), ("/v1/requests/req_x", "wait")):
        reply = await agent.get(path, params={name: text})
        [fault] = reply.json()["error"]["field_errors"]
        assert (reply.status_code, fault["path"], fault["code"]) == (422, name, "wrong_type")
