"""Groups F and L over HTTP: deadlines, and the steps before them."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from askback.domain.access import AccessLevel
from askback.domain.events import Event
from askback.ports.bus import Activity, PersonalChange
from askback.ports.store import Principal
from askback.service.delivery.subscriptions import Subscription, Subscriptions
from askback.service.jobs import deadlines
from tests.requirements import requirement
from tests.transports.conftest import ANSWER, Api, ask, create_request
from tests.transports.test_resumes import pull_resumes

pytestmark = pytest.mark.anyio

WITH_DEFAULT = {
    "title": "Report",
    "fields": [
        {"id": "format", "type": "text", "label": "Format", "required": True, "default": "PDF"},
        {"id": "pages", "type": "number", "label": "Pages", "default": 3},
    ],
    "initial_values": {"pages": 5},
}


async def advance_and_sweep(api: Api, seconds: float) -> None:
    """Let time pass, and run the deadlines."""
    api.clock.advance(seconds=seconds)
    await deadlines.sweep(api.app.services)


async def read(api: Api, request: dict[str, Any]) -> dict[str, Any]:
    """The current request, for a person."""
    return (await (await api.as_("responder")).get(f"/v1/requests/{request['id']}")).json()


async def events(api: Api) -> list[str]:
    """What has happened in the thread so far."""
    found_events = await api.app.services.store.thread_events("default", "t1", after=0)
    return [event.type for event in found_events]


@requirement("F22", "L8")
async def test_nobody_in_time_means_that_it_expires_once(api: Api) -> None:
    request = await create_request(api, timeout_s=5)
    assert request["expires_at"] > request["created_at"]
    await advance_and_sweep(api, 4.9)
    assert (await read(api, request))["status"] == "pending"
    await advance_and_sweep(api, 0.1)
    await advance_and_sweep(api, 9)
    assert (await read(api, request))["status"] == "expired"
    assert await events(api) == ["request.created", "request.expired"]


@requirement("F22")
async def test_an_expired_form_is_answered_by_its_declared_default(api: Api) -> None:
    request = await create_request(api, form=WITH_DEFAULT, timeout_s=5, on_timeout="default")
    await advance_and_sweep(api, 5)
    ended_request = await read(api, request)
    assert (ended_request["status"], ended_request["source"]) == ("answered", "default")
    assert ended_request["answer"] == {"values": {"format": "PDF", "pages": 5}}
    assert "settled_by" not in ended_request


@requirement("F22")
async def test_a_question_may_outlive_its_deadline_under_the_same_id(api: Api) -> None:
    request = await create_request(api, timeout_s=5, on_timeout="resume")
    await advance_and_sweep(api, 5)
    open_still = await read(api, request)
    assert (open_still["status"], open_still["detached"]) == ("pending", True)
    assert "expires_at" not in open_still
    assert await events(api) == ["request.created", "request.detached"]
    await advance_and_sweep(api, 9999)
    person = await api.as_("responder")
    assert (await person.post(f"/v1/requests/{request['id']}/answer", json=ANSWER)).status_code == 200
    [resume] = await pull_resumes(api)
    assert resume["request_id"] == request["id"]


async def test_an_approval_in_time_or_never(api: Api) -> None:
    body = {"kind": "approval", "thread_id": "t1", "approval": {"tool": "deploy", "input": {}}}
    agent = await api.as_("requester")
    no = (await agent.post("/v1/requests", json=body)).json()
    open_still = (await agent.post("/v1/requests", json={**body, "on_timeout": "resume"})).json()
    await advance_and_sweep(api, 300)
    assert (await read(api, no))["status"] == "expired"
    assert (await read(api, open_still))["detached"] is True


@requirement("F22")
async def test_the_deadline_may_start_at_the_first_view(api: Api) -> None:
    request = await create_request(api, timeout_s=5, timeout_from="shown")
    assert "expires_at" not in request
    await advance_and_sweep(api, 3600)
    person = await api.as_("responder")
    body = (await person.post(f"/v1/requests/{request['id']}/shown", json={})).json()
    assert body["shown_at"] == "2026-11-18T12:06:40.000Z"
    assert body["expires_at"] == "2026-11-18T12:06:45.000Z"
    await advance_and_sweep(api, 2)
    assert (await person.post(f"/v1/requests/{request['id']}/shown", json={})).json() == body
    await advance_and_sweep(api, 3)
    assert (await read(api, request))["status"] == "expired"
    assert await events(api) == ["request.created", "request.shown", "request.expired"]


async def test_viewing_a_settled_request_changes_nothing(api: Api) -> None:
    request = await create_request(api)
    person = await api.as_("responder")
    ended_body = (await person.post(f"/v1/requests/{request['id']}/answer", json=ANSWER)).json()
    assert (await person.post(f"/v1/requests/{request['id']}/shown", json={})).json() == ended_body
    assert (await person.post("/v1/requests/req_unknown/shown", json={})).status_code == 404


async def test_escalation_lets_other_people_answer(api: Api) -> None:
    steps = [{"after_s": 60, "notify": ["ada"]}, {"after_s": 120, "assign": ["bob"], "notify": ["bob"]}]
    request = await create_request(api, assignees=["ada"], escalation=steps, timeout_s=600)
    bob = api.client(headers={"Authorization": f"Bearer {await api.app.token('responder', user='bob')}"})
    path = f"/v1/requests/{request['id']}/answer"
    await advance_and_sweep(api, 60)
    assert (await read(api, request))["escalated"] == 1
    assert (await bob.post(path, json=ANSWER)).status_code == 403
    await advance_and_sweep(api, 60)
    assert (await read(api, request))["assigned"] == ["bob"]
    assert await events(api) == ["request.created", "request.escalated", "request.escalated"]
    assert (await bob.post(path, json=ANSWER)).status_code == 200


async def test_missed_escalations_run_immediately_and_the_deadline_still_applies(api: Api) -> None:
    steps = [{"after_s": n, "notify": ["ada"]} for n in (1, 2, 3)]
    request = await create_request(api, escalation=steps, timeout_s=60)
    await advance_and_sweep(api, 10)
    assert (await read(api, request))["escalated"] == 3
    assert await events(api) == ["request.created", "request.escalated"]
    await advance_and_sweep(api, 50)
    assert (await read(api, request))["status"] == "expired"


async def test_escalations_and_the_first_view_are_kept_after_the_answer(api: Api) -> None:
    request = await create_request(api, escalation=[{"after_s": 1, "notify": ["ada"]}])
    person = await api.as_("responder")
    await person.post(f"/v1/requests/{request['id']}/shown", json={})
    await advance_and_sweep(api, 1)
    ended_body = (await person.post(f"/v1/requests/{request['id']}/answer", json=ANSWER)).json()
    assert (ended_body["escalated"], ended_body["shown_at"]) == (1, "2026-11-18T11:06:40.000Z")


@requirement("L8")
@pytest.mark.parametrize("timeout", [0, -1, 31 * 24 * 3600, "5", True])
async def test_a_deadline_is_from_a_second_to_thirty_days(api: Api, timeout: Any) -> None:
    refusal = await (await api.as_("requester")).post("/v1/requests", json=ask(timeout_s=timeout))
    assert refusal.status_code == 422
    assert [error["path"] for error in refusal.json()["error"]["field_errors"]] == ["timeout_s"]


@requirement("C15")
async def test_a_request_may_end_immediately_if_nobody_is_present(api: Api) -> None:
    request = await create_request(api, require_client="fail_fast", timeout_s=60)
    assert (request["status"], request["reason"]) == ("cancelled", "not_shown")
    assert await events(api) == ["request.cancelled"]
    assert await pull_resumes(api) == []  # the agent has read it


@requirement("C15")
@pytest.mark.parametrize("page_path", [None, "t1"])
async def test_an_open_page_makes_require_client_irrelevant(api: Api, page_path: str | None) -> None:
    leave = api.app.services.presence.enter("default", page_path)
    for require in ("fail_fast", "wait"):
        request = await create_request(api, require_client=require)
        assert request["status"] == "pending"
        assert "unseen" not in request
    leave()
    assert (await create_request(api, require_client="fail_fast"))["status"] == "cancelled"


@requirement("C15")
async def test_a_request_may_wait_for_presence(api: Api) -> None:
    single_request = await create_request(api, require_client="wait", timeout_s=60)
    assert (single_request["status"], single_request["unseen"]) == ("pending", True)
    await advance_and_sweep(api, 29)
    assert (await read(api, single_request))["status"] == "pending"
    await advance_and_sweep(api, 1)
    ended_request = await read(api, single_request)
    assert (ended_request["status"], ended_request["reason"]) == ("cancelled", "not_shown")


@requirement("C15")
async def test_a_request_that_is_seen_in_time_is_like_any_other(api: Api) -> None:
    steps = [{"after_s": 40, "notify": ["ada"]}]
    request = await create_request(api, require_client="wait", timeout_s=60, escalation=steps)
    await advance_and_sweep(api, 20)
    leave = api.app.services.presence.enter("default", None)
    await advance_and_sweep(api, 10)
    leave()
    assert "unseen" not in await read(api, request)
    await advance_and_sweep(api, 10)
    assert (await read(api, request))["escalated"] == 1
    await advance_and_sweep(api, 20)
    assert (await read(api, request))["status"] == "expired"


@requirement("C15")
@pytest.mark.parametrize("page_path", [None, "t1"])
async def test_one_viewer_is_enough_even_if_they_leave_again(api: Api, page_path: str | None) -> None:
    request = await create_request(api, require_client="wait", timeout_s=60)
    for tenant, thread in (("acme", None), ("default", "t2")):
        api.app.services.presence.enter(tenant, thread)()
    assert (await read(api, request))["unseen"] is True
    api.app.services.presence.enter("default", page_path)()
    with anyio.fail_after(120):
        while "unseen" in (now := await read(api, request)):
            await anyio.sleep(0.01)
    assert now == {key: value for key, value in request.items() if key != "unseen"}
    assert await events(api) == ["request.created", "request.noted"]
    await advance_and_sweep(api, 30)
    assert (await read(api, request))["status"] == "pending"
    await advance_and_sweep(api, 30)
    assert (await read(api, request))["status"] == "expired"


@requirement("C15")
async def test_somebody_elses_page_is_not_there_to_see_it(api: Api) -> None:
    for tenant, thread in (("acme", None), ("default", "t2")):
        api.app.services.presence.enter(tenant, thread)
    assert (await create_request(api, require_client="fail_fast"))["status"] == "cancelled"


@requirement("C15")
async def test_the_page_of_a_read_only_person_does_not_count_as_present(api: Api) -> None:
    admin = await api.as_("admin")
    assert (
        await admin.put("/v1/threads/t1/access", json={"owner": "ada", "others": "view"})
    ).status_code == 200
    subscriptions = Subscriptions(api.app.services)
    bob = await subscriptions.open(
        Principal("usr_bob", "default", "responder", "Bob"), Reader(), thread_id="t1", after=None
    )
    assert (await create_request(api, require_client="fail_fast"))["status"] == "cancelled"
    assert (
        await admin.put("/v1/threads/t1/access", json={"owner": "ada", "others": "prompt"})
    ).status_code == 200
    with anyio.fail_after(120):
        while (await create_request(api, require_client="fail_fast"))["status"] != "pending":
            await anyio.sleep(0.01)
    bob.close()


async def test_an_open_page_counts_as_present_and_an_agent_does_not(api: Api) -> None:
    subscriptions = Subscriptions(api.app.services)
    agent = Principal("tok_a", "default", "requester", "agent")
    person = Principal("usr_p", "default", "responder", "person")
    watching = await subscriptions.open(agent, Reader(), thread_id="t1", after=None)
    assert (await create_request(api, require_client="fail_fast"))["status"] == "cancelled"
    seeing = await subscriptions.open(person, Reader(), thread_id="t1", after=None)
    assert (await create_request(api, require_client="fail_fast"))["status"] == "pending"
    seeing.close()
    assert (await create_request(api, require_client="fail_fast"))["status"] == "cancelled"
    watching.close()


class Reader:
    """Looks at nothing."""

    def push(self, event: Event) -> None:
        """Take the next event."""

    async def drain(self) -> None:
        """Have room."""

    def on_hidden(self, subscription: Subscription) -> None:
        """Leave."""

    def on_activity(self, activity: Activity) -> None:
        """Learn nothing."""

    def on_change(self, change: PersonalChange) -> None:
        """Nothing was changed."""

    def on_access_change(self, thread_id: str, level: AccessLevel) -> None:
        """Learn nothing."""


async def test_an_argument_named_like_a_deadline_moves_no_deadline(api: Api) -> None:
    call = {"timeout_from": "shown", "shown_at": "now", "delivery": "resume"}
    body = {"kind": "approval", "thread_id": "t1", "approval": {"tool": "deploy", "input": call}}
    agent, person = await api.as_("requester"), await api.as_("responder")
    request = (await agent.post("/v1/requests", json={**body, "on_timeout": "resume"})).json()
    await advance_and_sweep(api, 300)
    seen_body = (await person.post(f"/v1/requests/{request['id']}/shown", json={})).json()
    assert (seen_body["detached"], seen_body["status"]) == (True, "pending")
    assert seen_body["shown_at"]
    assert "expires_at" not in seen_body
    await advance_and_sweep(api, 9999)
    assert (await read(api, request))["status"] == "pending"


async def test_a_field_may_have_the_name_of_an_internal_key(api: Api) -> None:
    form = {"fields": [{"id": "shown_at", "type": "text", "label": "Shown at"}]}
    request = await create_request(api, form=form, validator="requester")
    agent, person = await api.as_("requester"), await api.as_("responder")
    path = f"/v1/requests/{request['id']}"
    await person.post(f"{path}/answer", json={"revision": 1, "values": {"shown_at": "noon"}})
    second_reply = await agent.post(f"{path}/reprompt", json={"error_summary": "When exactly?"})
    assert second_reply.json()["status"] == "pending"
    assert (await person.post(f"{path}/shown", json={})).json()["shown_at"].endswith("Z")


async def test_a_viewer_counts_as_present_and_earlier_escalations_are_not_repeated(api: Api) -> None:
    steps = [{"after_s": 10, "notify": ["ada"]}, {"after_s": 600, "notify": ["bob"]}]
    request = await create_request(
        api, require_client="wait", timeout_s=60, timeout_from="shown", escalation=steps
    )
    await advance_and_sweep(api, 20)
    person = await api.as_("responder")
    body = (await person.post(f"/v1/requests/{request['id']}/shown", json={})).json()
    assert "unseen" not in body
    assert body["escalated"] == 1
    await advance_and_sweep(api, 30)
    assert await events(api) == ["request.created", "request.escalated", "request.shown"]
    await advance_and_sweep(api, 30)
    assert (await read(api, request))["status"] == "expired"


@pytest.mark.parametrize(
    "name", ["tried_until", "escalated", "assigned", "unseen", "queued_behind", "expires_at"]
)
async def test_a_field_of_any_name_stops_no_clock_while_its_answer_is_checked(api: Api, name: str) -> None:
    form = {"fields": [{"id": name, "type": "text", "label": "A"}]}
    steps = [{"after_s": 10, "notify": ["ada"]}]
    checked_request = await create_request(
        api, form=form, validator="requester", escalation=steps, timeout_s=60
    )
    other_request = await create_request(api, timeout_s=10)
    answer = {"revision": 1, "values": {name: "x"}}
    person = await api.as_("responder")
    assert (await person.post(f"/v1/requests/{checked_request['id']}/answer", json=answer)).status_code == 200
    await advance_and_sweep(api, 10)
    assert (await read(api, other_request))["status"] == "expired"
    waits = await read(api, checked_request)
    assert (waits["status"], waits["submitted"]["values"]) == ("resolving", {name: "x"})
    await advance_and_sweep(api, 50)
    reread_request = await read(api, checked_request)
    assert (reread_request["status"], reread_request["revision"], reread_request["submitted"]["values"]) == (
        "pending",
        2,
        {name: "x"},
    )
    await advance_and_sweep(api, 300)
    assert (await read(api, checked_request))["status"] == "expired"


@requirement("F22")
async def test_a_form_whose_default_became_invalid_expires(api: Api) -> None:
    asking = {"form": WITH_DEFAULT, "timeout_s": 60, "on_timeout": "default", "validator": "requester"}
    request, other_request = await create_request(api, **asking), await create_request(api, timeout_s=60)
    path = f"/v1/requests/{request['id']}"
    person, agent = await api.as_("responder"), await api.as_("requester")
    await person.post(f"{path}/answer", json={"revision": 1, "values": {"format": "PDF"}})
    form = {"fields": [{"id": "format", "type": "text", "label": "Format", "required": True}]}
    assert (await agent.post(f"{path}/reprompt", json={"form": form})).status_code == 200
    await advance_and_sweep(api, 300)
    assert (await read(api, request))["status"] == "expired"
    assert (await read(api, other_request))["status"] == "expired"


@requirement("L8")
async def test_a_deadline_that_fails_delays_no_other(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    failing, other = [await create_request(api, timeout_s=seconds) for seconds in (5, 6)]
    services = api.app.services
    settle = services.store.settle

    async def settle_other(settlement: Any, *parts: Any) -> Any:
        if settlement.id == failing["id"]:
            raise RuntimeError("a bug")
        return await settle(settlement, *parts)

    failed = dict[str, int]()
    with monkeypatch.context() as patch:
        patch.setattr(services.store, "settle", settle_other)
        api.clock.advance(seconds=10)
        assert await deadlines.sweep(services, failed) == 1
    assert [(await read(api, request))["status"] for request in (failing, other)] == ["pending", "expired"]
    assert await deadlines.sweep(services, failed) == 0  # not again at each sweep
    api.clock.advance(seconds=deadlines.RETRY_S)
    assert await deadlines.sweep(services, failed) == 1
    assert (await read(api, failing))["status"] == "expired"
