"""An answer that is checked before it is accepted: it is never lost, and nobody waits forever (ADR 0035)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from askback import AsyncClient, Form, Text
from askback.domain.limits import DEFAULTS, Limits
from askback.server.app import create_app
from askback.server.settings import load
from askback.service.jobs import deadlines
from tests.requirements import requirement
from tests.transports.conftest import Api, ManualClock

pytestmark = pytest.mark.anyio

LUNCH = Form(title="Lunch", fields=[Text(id="dish", label="Dish", required=True)])
NOT_CHECKED = "The agent did not check your answer. Send it again or change it."
TOKENS = {role: f"check-{role}-token" for role in ("requester", "responder", "admin")}
SOUP = {"dish": "soup"}


@asynccontextmanager
async def serving(folder: Path, **parts: Any) -> AsyncIterator[Api]:
    """Serve an app in this process, for HTTP callers and for clients with one of `TOKENS`."""
    clock, tokens = ManualClock(), ",".join(f"{role}:{token}" for role, token in TOKENS.items())
    app = create_app(load({"ASKBACK_BOOTSTRAP_TOKENS": tokens}, data_dir=folder), clock=clock, **parts)
    async with AsyncClient(app=app, token=TOKENS["admin"]) as keeper:
        await keeper.requests.list()
        yield Api(app, clock, dict(TOKENS))


@pytest.fixture
async def api(tmp_path: Path) -> AsyncIterator[Api]:
    async with serving(tmp_path) as api:
        yield api


class CheckedForm:
    """An agent, a person, and one form whose answer is checked."""

    def __init__(self, api: Api) -> None:
        self.api = api

    async def ask(self, **extra: Any) -> str:
        body = {"kind": "form", "thread_id": "t1", "form": LUNCH.model_dump(exclude_none=True)}
        agent = await self.api.as_("requester")
        reply = await agent.post("/v1/requests", json={**body, "validator": "requester", **extra})
        return reply.json()["id"]

    async def answer(self, request_id: str, dish: str = "soup", *, revision: int = 1, key: str = "") -> Any:
        person = await self.api.as_("responder")
        body = {"revision": revision, "values": {"dish": dish}}
        headers = {"Idempotency-Key": key} if key else {}
        return await person.post(f"/v1/requests/{request_id}/answer", json=body, headers=headers)

    async def agent(self, request_id: str, step: str, **body: Any) -> Any:
        return await (await self.api.as_("requester")).post(f"/v1/requests/{request_id}/{step}", json=body)

    async def read(self, request_id: str) -> dict[str, Any]:
        return (await (await self.api.as_("responder")).get(f"/v1/requests/{request_id}")).json()

    async def resumes(self) -> list[dict[str, Any]]:
        return (await (await self.api.as_("requester")).get("/v1/threads/t1/resumes")).json()["resumes"]

    async def later(self, seconds: float) -> None:
        self.api.clock.advance(seconds=seconds)
        await deadlines.sweep(self.api.app.services)


@pytest.fixture
def checked_form(api: Api) -> CheckedForm:
    return CheckedForm(api)


@requirement("N3", "H6")
async def test_an_agent_that_dies_inside_its_check_gives_the_answer_back(checked_form: CheckedForm) -> None:
    start_event = anyio.Event()

    async def validate(_: Any) -> None:
        start_event.set()
        await anyio.sleep_forever()

    agent = AsyncClient(app=checked_form.api.app, token=TOKENS["requester"])

    async def work() -> None:
        await agent.form(LUNCH, thread_id="t1", validate=validate, cancel_on_abort=False)

    with anyio.fail_after(120):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(work)
            person = await checked_form.api.as_("responder")
            while not (requests := (await person.get("/v1/requests?status=pending")).json()["requests"]):
                await anyio.sleep(0)
            request_id = requests[0]["id"]
            await checked_form.answer(request_id)
            await start_event.wait()
            held_request = await checked_form.read(request_id)
            assert (held_request["status"], held_request["check"]["state"]) == ("resolving", "checking")
            assert held_request["check"]["by"]["name"] == "requester"
            reply = await person.get("/v1/requests?status=pending,resolving")
            assert [request["id"] for request in reply.json()["requests"]] == [request_id]
            tasks.cancel_scope.cancel()
    await agent.aclose()
    await checked_form.later(DEFAULTS.check_lease_s)
    back = await checked_form.read(request_id)
    assert (back["status"], back["revision"], back["error_summary"]) == ("pending", 2, NOT_CHECKED)
    assert back["submitted"] == {"values": SOUP}
    assert "check" not in back
    assert (await checked_form.answer(request_id, revision=2)).status_code == 200


@requirement("N3")
@pytest.mark.parametrize("delivery", ["resume", "block"])
async def test_an_unchecked_answer_is_announced_by_one_resume_and_then_returned(
    checked_form: CheckedForm, delivery: str
) -> None:
    request_id = await checked_form.ask(delivery=delivery)
    for revision in (1, 2):
        waits = (await checked_form.answer(request_id, revision=revision)).json()
        assert (waits["status"], waits["check"]["state"]) == ("resolving", "waiting")
        await checked_form.later(DEFAULTS.orphan_s if delivery == "block" else 0)
        [resume] = await checked_form.resumes()
        assert (resume["request_id"], resume["request"]["submitted"]) == (request_id, {"values": SOUP})
        assert "Accept" in resume["text"]
        await checked_form.later(DEFAULTS.check_wait_s)
        assert (await checked_form.read(request_id))["revision"] == revision + 1
        assert await checked_form.resumes() == []  # the answer no longer waits
    final_reply = await checked_form.answer(request_id, revision=3)
    assert final_reply.json()["status"] == "resolving"
    assert (await checked_form.agent(request_id, "accept")).json()["answer"] == {"values": SOUP}


@requirement("N3", "H6")
async def test_a_check_is_renewed_ten_times_and_no_more(checked_form: CheckedForm) -> None:
    request_id = await checked_form.ask(delivery="resume")
    await checked_form.answer(request_id)
    for renewed in range(DEFAULTS.check_renewals + 1):
        check = (await checked_form.agent(request_id, "check")).json()["check"]
        assert (check["state"], check.get("renewed", 0)) == ("checking", renewed)
        await checked_form.later(DEFAULTS.check_lease_s - 1)
    refusal = await checked_form.agent(request_id, "check")
    assert (refusal.status_code, refusal.json()["error"]["code"]) == (409, "check_over")
    assert await checked_form.resumes() == []
    await checked_form.later(1)
    assert (await checked_form.read(request_id))["status"] == "pending"
    assert (await checked_form.agent(request_id, "check")).json()["error"]["code"] == "not_resolving"
    assert (await checked_form.agent(request_id, "accept")).json()["error"]["code"] == "not_resolving"


@requirement("N3")
@pytest.mark.parametrize("begun", [False, True])
async def test_a_person_can_decline_and_the_agent_cancel_while_an_answer_is_checked(
    checked_form: CheckedForm, begun: bool
) -> None:
    person = await checked_form.api.as_("responder")
    for step, status in (("decline", "declined"), ("cancel", "cancelled")):
        request_id = await checked_form.ask(delivery="resume", repeat="ask")
        await checked_form.answer(request_id)
        if begun:
            await checked_form.agent(request_id, "check")
        body = {"reason": "dismissed"} if step == "decline" else {}
        caller = person if step == "decline" else await checked_form.api.as_("requester")
        ended_reply = await caller.post(f"/v1/requests/{request_id}/{step}", json=body)
        assert (ended_reply.status_code, ended_reply.json()["status"]) == (200, status)
        assert "check" not in ended_reply.json()


@requirement("N4")
@pytest.mark.parametrize("on_timeout", ["expire", "default", "resume"])
async def test_an_answer_in_time_counts_however_long_it_is_checked(
    checked_form: CheckedForm, on_timeout: str
) -> None:
    form = {"fields": [{"id": "dish", "type": "text", "label": "Dish", "default": "rice"}]}
    request_id = await checked_form.ask(timeout_s=60, on_timeout=on_timeout, form=form)
    await checked_form.later(50)
    await checked_form.answer(request_id)
    await checked_form.agent(request_id, "check")
    for _ in range(3):
        await checked_form.later(50)
        await checked_form.agent(request_id, "check")
    checked = await checked_form.read(request_id)
    assert (checked["status"], checked["time_left_s"], "expires_at" in checked) == ("resolving", 10, False)
    ended_body = (await checked_form.agent(request_id, "accept")).json()
    assert (ended_body["status"], ended_body["source"], ended_body["answer"]) == (
        "answered",
        "responder",
        {"values": SOUP},
    )


@requirement("N4")
@pytest.mark.parametrize(("timeout", "left"), [(60, 300), (7200, 7190)])
async def test_after_a_reprompt_the_person_has_the_remaining_time_and_at_least_five_minutes(
    checked_form: CheckedForm, timeout: int, left: int
) -> None:
    request_id = await checked_form.ask(timeout_s=timeout, delivery="resume")
    await checked_form.later(10)
    await checked_form.answer(request_id)
    await checked_form.agent(request_id, "check")
    await checked_form.later(40)
    await checked_form.agent(request_id, "reprompt", error_summary="No soup.")
    await checked_form.later(left - 1)
    assert (await checked_form.read(request_id))["status"] == "pending"
    await checked_form.later(1)
    assert (await checked_form.read(request_id))["status"] == "expired"


@requirement("N3")
async def test_a_client_renews_its_check_while_it_validates(tmp_path: Path) -> None:
    renewed = anyio.Event()

    async def watch(person: AsyncClient) -> None:
        async for event in person.events("t1", cursor=0):
            request = event.get("request", {})
            if event["type"] == "request.created":
                await person.requests.answer(request["id"], SOUP)
            if request.get("check", {}).get("renewed"):
                renewed.set()

    async def validate(_: Any) -> None:
        await renewed.wait()

    async with serving(tmp_path, limits=Limits(check_lease_s=1)) as api:
        agent, person = (AsyncClient(app=api.app, token=TOKENS[role]) for role in ("requester", "responder"))
        async with agent, person, anyio.create_task_group() as tasks:
            with anyio.fail_after(120):
                tasks.start_soon(watch, person)
                answer = await agent.form(LUNCH, thread_id="t1", validate=validate)
                tasks.cancel_scope.cancel()
    assert answer.values == SOUP


@requirement("N5")
async def test_a_replayed_answer_gets_its_outcome(checked_form: CheckedForm) -> None:
    request_id = await checked_form.ask()
    assert (await checked_form.answer(request_id, key="k1")).json()["status"] == "resolving"

    async def replay(key: str, revision: int) -> tuple[int, str, str]:
        reply = await checked_form.answer(request_id, key=key, revision=revision)
        assert reply.headers["idempotent-replayed"] == "true"
        return reply.status_code, reply.json()["status"], reply.json()["submission"]

    assert await replay("k1", 1) == (200, "resolving", "checking")
    await checked_form.agent(request_id, "reprompt", error_summary="No soup.")
    assert await replay("k1", 1) == (200, "pending", "reprompted")
    await checked_form.answer(request_id, key="k2", revision=2)
    assert await replay("k1", 1) == (200, "resolving", "reprompted")
    assert await replay("k2", 2) == (200, "resolving", "checking")
    await checked_form.agent(request_id, "accept")
    assert await replay("k1", 1) == (200, "answered", "reprompted")
    assert await replay("k2", 2) == (200, "answered", "accepted")
    other = await checked_form.ask()
    await checked_form.answer(other, key="k3")
    await checked_form.agent(other, "cancel")
    refusal = (await checked_form.answer(other, key="k3")).json()
    assert (refusal["status"], refusal["submission"]) == ("cancelled", "refused")
    admin = await checked_form.api.as_("admin")
    assert (await admin.delete("/v1/threads/t1")).status_code == 204
    assert (await checked_form.answer(request_id, key="k1")).status_code == 404
    agent = await checked_form.api.as_("requester", **{"Idempotency-Key": "k4"})
    body = {"kind": "form", "thread_id": "t1", "form": LUNCH.model_dump(exclude_none=True)}
    assert (await agent.post("/v1/requests", json=body)).status_code == 404
    message = {"content": [{"type": "text", "text": "hello"}]}
    assert (await agent.post("/v1/threads/t1/messages", json=message)).status_code == 404


@requirement("N5")
async def test_a_replay_costs_nothing_and_is_taken_at_the_limits(checked_form: CheckedForm) -> None:
    admin = await checked_form.api.as_("admin")
    assert (await admin.post("/v1/policy", json={"max_submissions_per_minute": 1})).status_code == 200
    first, second = await checked_form.ask(validator=None), await checked_form.ask(validator=None)
    assert (await checked_form.answer(first, key="k1")).status_code == 200
    for _ in range(3):
        assert (await checked_form.answer(first, key="k1")).json()["submission"] == "accepted"
    assert (await checked_form.answer(second, key="k2")).status_code == 429
    person = await checked_form.api.as_("responder", **{"Idempotency-Key": "k3"})
    checked_form.api.clock.advance(seconds=60)
    for _ in range(2):
        declined_reply = await person.post(f"/v1/requests/{second}/decline", json={"reason": "dismissed"})
        assert (declined_reply.status_code, declined_reply.json()["status"]) == (200, "declined")


@requirement("N5")
async def test_a_replayed_message_names_the_question_that_it_answered(checked_form: CheckedForm) -> None:
    admin = await checked_form.api.as_("admin")
    await admin.post("/v1/policy", json={"free_text": "answer"})
    request_id = await checked_form.ask(validator=None)
    body = {"content": [{"type": "text", "text": "soup"}]}
    person = await checked_form.api.as_("responder", **{"Idempotency-Key": "m1"})
    first_reply, second_reply = [await person.post("/v1/threads/t1/messages", json=body) for _ in range(2)]
    assert first_reply.json()["answered"] == request_id
    assert (second_reply.status_code, second_reply.json()) == (201, first_reply.json())
    later = await checked_form.ask(validator=None)
    assert (await person.post("/v1/threads/t1/messages", json=body)).json() == first_reply.json()
    assert (await checked_form.read(later))["status"] == "pending"
    person = await checked_form.api.as_("responder")
    for text, code in (("x", 201), ("y", 409)):
        reply = await person.post(
            "/v1/threads/t2/messages", json={"id": "m", "content": [{"type": "text", "text": text}]}
        )
        assert reply.status_code == code
    assert reply.json()["error"]["code"] == "id_taken"
