"""Group F over HTTP: a request is changed while it is open."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from askback.domain.limits import Limits
from askback.server.app import create_app
from tests.requirements import requirement
from tests.transports.conftest import ANSWER, Api, ManualClock, ask, create_request
from tests.transports.test_verdicts import WRONG, advance_clock, paths, read

pytestmark = pytest.mark.anyio

MENU = {"fields": [{"id": "dish", "type": "select", "label": "Dish", "options": ["rice", "fish"]}]}
SECRET_MENU = {"fields": [{"id": "dish", "type": "text", "label": "Dish", "sensitive": True}]}
APPROVAL = {"kind": "approval", "thread_id": "t1", "approval": {"tool": "bash", "input": {"command": "make"}}}


async def update(api: Api, request: dict[str, Any], *, key: str = "", **body: Any) -> httpx2.Response:
    agent = await api.as_("requester", **({"Idempotency-Key": key} if key else {}))
    return await agent.patch(f"/v1/requests/{request['id']}", json=body)


async def answer(api: Api, request: dict[str, Any], **body: Any) -> httpx2.Response:
    person = await api.as_("responder")
    return await person.post(f"/v1/requests/{request['id']}/answer", json={**ANSWER, **body})


def code(reply: httpx2.Response) -> tuple[int, str]:
    return reply.status_code, reply.json()["error"]["code"]


@requirement("F16")
async def test_another_form_is_another_revision_and_the_old_one_is_not_answered(api: Api) -> None:
    request = await create_request(api)
    changed_body = (await update(api, request, form=MENU)).json()
    assert (changed_body["status"], changed_body["revision"], changed_body["updates"]) == ("pending", 2, 1)
    assert changed_body["form"]["fields"][0]["type"] == "select"
    for values in ({"dish": "soup"}, {}):
        late_reply = await answer(api, request, values=values)
        assert code(late_reply) == (409, "stale_revision")
        assert late_reply.json()["error"]["request"] == changed_body
    assert paths(await answer(api, request, revision=2)) == [("values.dish", "value_not_in_options")]
    ended_body = (await answer(api, request, revision=2, values={"dish": "fish"})).json()
    assert (ended_body["status"], ended_body["answer"]) == ("answered", {"values": {"dish": "fish"}})
    events = await api.app.services.store.thread_events("default", "t1", after=0)
    assert [event.type for event in events] == ["request.created", "request.updated", "request.answered"]


@requirement("F16")
async def test_a_stale_cache_of_another_server_does_not_refuse_an_answer(api: Api) -> None:
    request = await create_request(api)
    old = api.app.services.recent.get("default", request["id"])
    assert old is not None
    await update(api, request, form=MENU)
    api.app.services.recent.add(old)  # as a server has it that did not change the form
    assert code(await answer(api, request, values={"dish": 5})) == (409, "stale_revision")


@requirement("F14")
async def test_errors_replace_errors_and_a_new_form_removes_them(api: Api) -> None:
    request = await create_request(api, error_summary="Look.")
    changed_body = (await update(api, request, field_errors=WRONG)).json()
    assert (changed_body["field_errors"], changed_body["error_summary"]) == (
        WRONG,
        "Please correct the highlighted fields.",
    )
    kept_body = (await update(api, request, timeout_s=60)).json()
    assert kept_body["field_errors"] == WRONG
    changed_body = (await update(api, request, form=MENU)).json()
    assert not {"field_errors", "error_summary"} & changed_body.keys()
    changed_body = (await update(api, request, error_summary="Look.")).json()
    assert changed_body["error_summary"] == "Look."
    assert "error_summary" not in (await update(api, request, error_summary=None, timeout_s=60)).json()


@requirement("F14")
async def test_a_returned_answer_survives_a_change_of_the_form(api: Api) -> None:
    request = await create_request(api, validator="requester")
    await answer(api, request)
    agent = await api.as_("requester")
    await agent.post(f"/v1/requests/{request['id']}/reprompt", json={"field_errors": WRONG})
    changed_body = (await update(api, request, form=MENU)).json()
    assert (changed_body["revision"], changed_body["submitted"]) == (3, {"values": {"dish": "soup"}})


@requirement("F22")
async def test_a_deadline_is_moved_set_and_removed(api: Api) -> None:
    request = await create_request(api, timeout_s=5)
    await update(api, request, timeout_s=60)
    await advance_clock(api, 59)
    assert (await read(api, request))["status"] == "pending"
    await update(api, request, timeout_s=None)
    await advance_clock(api, 10_000)
    open_still = await read(api, request)
    assert (open_still["status"], "expires_at" in open_still) == ("pending", False)
    await update(api, request, timeout_s=5)
    await advance_clock(api, 6)
    assert (await read(api, request))["status"] == "expired"
    assert code(await update(api, request, timeout_s=5)) == (410, "expired")


@requirement("F22")
async def test_a_deadline_that_begins_when_it_is_shown_still_does(api: Api) -> None:
    request = await create_request(api, timeout_s=60, timeout_from="shown")
    assert "expires_at" not in (await update(api, request, timeout_s=5)).json()
    await advance_clock(api, 100)
    shown_reply = await (await api.as_("responder")).post(f"/v1/requests/{request['id']}/shown", json={})
    assert "expires_at" in shown_reply.json()
    await advance_clock(api, 6)
    assert (await read(api, request))["status"] == "expired"


@requirement("B4")
async def test_an_approval_changes_in_nothing_but_its_deadline(api: Api) -> None:
    agent = await api.as_("requester")
    request = (await agent.post("/v1/requests", json=APPROVAL)).json()
    refusals: list[dict[str, Any]] = [
        {"form": MENU},
        {"error_summary": "x"},
        {"field_errors": WRONG},
        {"approval": {"tool": "rm", "input": {}}},
        {"digest": "0" * 64},
    ]
    for body in refusals:
        refusal = await update(api, request, **body)
        assert refusal.status_code == 422, body
    assert await read(api, request) == request
    changed_body = (await update(api, request, timeout_s=60)).json()
    assert (changed_body["approval"], changed_body["revision"]) == (request["approval"], 2)
    log = (await (await api.as_("admin")).get("/v1/audit")).json()["entries"]
    assert [item["request_id"] for item in log if item["action"] == "update"] == [request["id"]]


@requirement("N5")
async def test_the_same_change_with_the_same_key_is_one_change(api: Api) -> None:
    request = await create_request(api)
    first_reply = await update(api, request, key="k", error_summary="Look.")
    second_reply = await update(api, request, key="k", error_summary="Look.")
    assert (second_reply.headers["idempotent-replayed"], second_reply.json()) == ("true", first_reply.json())
    assert code(await update(api, request, key="k", error_summary="No.")) == (422, "idempotency_mismatch")


async def test_while_an_answer_is_checked_nothing_is_changed(api: Api) -> None:
    request = await create_request(api, validator="requester")
    body_before = (await answer(api, request)).json()
    assert code(await update(api, request, form=MENU)) == (409, "resolving")
    assert await read(api, request) == body_before


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ({}, ("error_summary", "missing_required")),
        ({"form": None, "field_errors": []}, ("error_summary", "missing_required")),
        ({"form": {"fields": []}}, ("form.fields", "no_fields")),
        ({"form": []}, ("form", "wrong_type")),
        ({"form": SECRET_MENU}, ("form", "validator_with_sensitive")),
        (
            {"field_errors": [{"path": "values.drink", "message": "x"}]},
            ("field_errors[0].path", "unknown_value"),
        ),
        ({"timeout_s": 0}, ("timeout_s", "out_of_range")),
        ({"status": "answered"}, ("status", "unknown_field")),
        ({"thread_id": "t2"}, ("thread_id", "unknown_field")),
    ],
)
async def test_an_invalid_change_changes_nothing(
    api: Api, body: dict[str, Any], fault: tuple[str, str]
) -> None:
    request = await create_request(api, validator="requester")
    assert fault in paths(await update(api, request, **body))
    assert await read(api, request) == request


async def test_a_form_without_defaults_is_no_change_of_one_that_answers_itself(api: Api) -> None:
    form = {"fields": [{"id": "dish", "type": "text", "label": "Dish", "required": True, "default": "soup"}]}
    request = await create_request(api, form=form, timeout_s=60, on_timeout="default")
    assert paths(await update(api, request, form=MENU)) == [("form", "no_default")]


async def test_only_the_agent_that_asked_changes_its_request(api: Api) -> None:
    request = await create_request(api)
    for who, status in (("requester/other", 404), ("responder", 403), ("admin", 403)):
        reply = await (await api.as_(who)).patch(f"/v1/requests/{request['id']}", json={"timeout_s": 60})
        assert reply.status_code == status


async def test_changes_have_an_end_and_do_not_count_as_asking_again() -> None:
    app = create_app(limits=Limits(updates=2, reprompts=1))
    async with app.running():
        api = Api(app, ManualClock())
        request = await create_request(api, validator="requester")
        for _ in range(2):
            assert (await update(api, request, error_summary="Look.")).status_code == 200
        assert code(await update(api, request, error_summary="Look.")) == (409, "too_many_updates")
        agent = await api.as_("requester")
        for revision, status in ((3, "pending"), (4, "cancelled")):
            await answer(api, request, revision=revision)
            second_reply = await agent.post(
                f"/v1/requests/{request['id']}/reprompt", json={"error_summary": "No."}
            )
            assert second_reply.json()["status"] == status


async def test_a_queued_request_is_changed_as_well(api: Api) -> None:
    await create_request(api, exclusive_key="k")
    agent = await api.as_("requester")
    second_body = (await agent.post("/v1/requests", json=ask(exclusive_key="k", on_conflict="queue"))).json()
    changed_body = (await update(api, second_body, form=MENU)).json()
    assert (changed_body["queued_behind"], changed_body["revision"]) == (True, 2)
