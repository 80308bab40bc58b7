"""Group F over HTTP: the requester checks an answer before it is accepted."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from askback.domain.limits import Limits
from askback.server.app import create_app
from tests.requirements import requirement
from tests.transports.conftest import ANSWER, Api, ManualClock, ask, create_request

pytestmark = pytest.mark.anyio

WRONG = [{"path": "values.dish", "message": "Soup is off."}]


class Table:
    """A request whose answer the agent checks, the agent and a person."""

    def __init__(
        self, agent: httpx2.AsyncClient, person: httpx2.AsyncClient, request: dict[str, Any]
    ) -> None:
        self.agent, self.person, self.request = agent, person, request

    async def answer(self, dish: str = "soup", *, revision: int = 1, key: str = "") -> httpx2.Response:
        body = {"revision": revision, "values": {"dish": dish}}
        headers = {"Idempotency-Key": key} if key else {}
        return await self.person.post(f"/v1/requests/{self.request['id']}/answer", json=body, headers=headers)

    async def accept(self) -> httpx2.Response:
        return await self.agent.post(f"/v1/requests/{self.request['id']}/accept", json={})

    async def reprompt(self, **body: Any) -> httpx2.Response:
        return await self.agent.post(f"/v1/requests/{self.request['id']}/reprompt", json=body)

    async def read(self) -> dict[str, Any]:
        return (await self.agent.get(f"/v1/requests/{self.request['id']}")).json()


@pytest.fixture
async def table(api: Api) -> Table:
    request = await create_request(api, validator="requester")
    return Table(await api.as_("requester"), await api.as_("responder"), request)


def code(reply: httpx2.Response) -> tuple[int, str]:
    return reply.status_code, reply.json()["error"]["code"]


@requirement("F13")
async def test_an_answer_counts_when_the_agent_has_accepted_it(table: Table) -> None:
    sent = (await table.answer()).json()
    assert (sent["status"], sent["submitted"]) == ("resolving", {"values": {"dish": "soup"}})
    assert "answer" not in sent
    ended_body = (await table.accept()).json()
    assert (ended_body["status"], ended_body["answer"]) == ("answered", {"values": {"dish": "soup"}})
    assert ended_body["settled_by"]["name"] == "responder"
    assert "submitted" not in ended_body
    assert code(await table.accept()) == (409, "already_settled")


@requirement("F13", "F14")
async def test_two_reprompts_then_accepted(api: Api, table: Table) -> None:
    for revision in (1, 2):
        await table.answer("soup", revision=revision)
        reprompt_reply = (
            await table.reprompt(field_errors=WRONG, error_summary="Please choose again.")
        ).json()
        assert (reprompt_reply["status"], reprompt_reply["revision"]) == ("pending", revision + 1)
        assert (reprompt_reply["field_errors"], reprompt_reply["error_summary"]) == (
            WRONG,
            "Please choose again.",
        )
        assert reprompt_reply["submitted"] == {"values": {"dish": "soup"}}  # the person corrects it
    await table.answer("rice", revision=3)
    assert (await table.accept()).json()["answer"] == {"values": {"dish": "rice"}}
    events = await api.app.services.store.thread_events("default", "t1", after=0)
    assert [event.type.removeprefix("request.") for event in events] == [
        "created", "resolving", "reprompted", "resolving", "reprompted", "resolving", "answered",
    ]  # fmt: skip


@requirement("F14")
@pytest.mark.parametrize(
    ("locale", "summary"),
    [(None, "Please correct the highlighted fields."), ("de", "Bitte korrigiere die markierten Felder.")],
)
async def test_faults_have_a_summary_even_if_the_agent_sends_none(
    table: Table, locale: str | None, summary: str
) -> None:
    await table.answer()
    fields = [{"id": "dish", "type": "text", "label": "Dish"}]
    reprompt_reply = await table.reprompt(field_errors=WRONG, form={"locale": locale, "fields": fields})
    assert reprompt_reply.json()["error_summary"] == summary
    await table.answer(revision=2)
    other = await table.reprompt(form={"fields": fields})
    assert "error_summary" not in other.json()


@requirement("F16")
async def test_an_answer_to_an_older_revision_gets_the_current_form(table: Table) -> None:
    await table.answer()
    form = {"fields": [{"id": "dish", "type": "select", "label": "Dish", "options": ["rice", "fish"]}]}
    changed = (await table.reprompt(form=form)).json()
    assert changed["form"]["fields"][0]["type"] == "select"
    late_reply = await table.answer("soup", revision=1)
    assert code(late_reply) == (409, "stale_revision")
    assert late_reply.json()["error"]["request"] == changed
    wrong = await table.answer("soup", revision=2)
    assert [error["path"] for error in wrong.json()["error"]["field_errors"]] == ["values.dish"]
    assert (await table.answer("fish", revision=2)).json()["status"] == "resolving"


async def test_another_form_changes_nothing_else_of_the_request(api: Api) -> None:
    request = await create_request(api, validator="requester", delivery="resume", auto_resume=False)
    table = Table(await api.as_("requester"), await api.as_("responder"), request)
    await table.answer()
    form = {"fields": [{"id": "dish", "type": "text", "label": "Dish"}]}
    changed = (await table.reprompt(form=form)).json()
    assert (changed["delivery"], changed["auto_resume"]) == ("resume", False)


async def test_while_one_answer_is_checked_another_is_refused(table: Table) -> None:
    await table.answer("soup", key="k")
    other = await table.answer("rice")
    assert code(other) == (409, "resolving")
    assert other.json()["error"]["request"]["submitted"] == {"values": {"dish": "soup"}}
    second_reply = await table.answer("soup", key="k")
    assert (second_reply.status_code, second_reply.json()["status"]) == (200, "resolving")


@requirement("F15")
async def test_asking_again_has_an_end(table: Table) -> None:
    for revision in range(1, 11):
        await table.answer(revision=revision)
        assert (await table.reprompt(error_summary="No.")).json()["status"] == "pending"
    await table.answer(revision=11)
    ended_body = (await table.reprompt(error_summary="No.")).json()
    assert (ended_body["status"], ended_body["reason"]) == ("cancelled", "failed")


async def test_nothing_can_be_accepted_that_was_not_sent(table: Table) -> None:
    assert code(await table.accept()) == (409, "not_resolving")
    assert code(await table.reprompt(error_summary="No.")) == (409, "not_resolving")


async def test_a_repeated_verdict_does_not_apply_to_a_later_answer(table: Table) -> None:
    url, headers = f"/v1/requests/{table.request['id']}", {"Idempotency-Key": "k"}
    await table.answer("soup")
    body = {"field_errors": WRONG}
    assert (await table.agent.post(f"{url}/reprompt", json=body, headers=headers)).json()[
        "status"
    ] == "pending"
    await table.answer("rice", revision=2)
    late_reply = await table.agent.post(f"{url}/reprompt", json=body, headers=headers)
    assert (late_reply.status_code, late_reply.headers["idempotent-replayed"]) == (200, "true")
    assert (late_reply.json()["status"], late_reply.json()["submitted"]) == (
        "resolving",
        {"values": {"dish": "rice"}},
    )
    other_reply = await table.agent.post(f"{url}/reprompt", json={"error_summary": "No."}, headers=headers)
    assert code(other_reply) == (422, "idempotency_mismatch")
    ends = [await table.agent.post(f"{url}/accept", json={}, headers=headers) for _ in range(2)]
    assert [end.status_code for end in ends] == [200, 200]
    assert ends[0].json() == ends[1].json()


@pytest.mark.parametrize("operation", ["accept", "shown"])
async def test_a_value_for_another_route_does_nothing(table: Table, operation: str) -> None:
    before = (await table.answer()).json()
    person = table.agent if operation == "accept" else table.person
    body = {"field_errors": WRONG}
    refusal = await person.post(f"/v1/requests/{table.request['id']}/{operation}", json=body)
    assert (refusal.status_code, refusal.json()["error"]["field_errors"][0]["path"]) == (422, "field_errors")
    assert await table.read() == before


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "error_summary"),
        ({"field_errors": [{"path": "values.drink", "message": "x"}]}, "field_errors[0].path"),
        ({"field_errors": [{"path": "values.dish", "message": "x" * 501}]}, "field_errors[0].message"),
        ({"error_summary": "x" * 501}, "error_summary"),
        ({"form": {"fields": []}}, "form.fields"),
        ({"form": {"fields": [{"id": "a", "type": "text", "label": "A", "sensitive": True}]}}, "form"),
        ({"form": 5}, "form"),
        ({"other": 1, "error_summary": "x"}, "other"),
    ],
)
async def test_a_reprompt_that_says_nothing_or_something_wrong_changes_nothing(
    table: Table, body: dict[str, Any], path: str
) -> None:
    before = (await table.answer()).json()
    refusal = await table.reprompt(**body)
    assert refusal.status_code == 422, refusal.text
    assert path in [error["path"] for error in refusal.json()["error"]["field_errors"]]
    assert await table.read() == before


async def test_a_returning_agent_finds_the_answer_by_its_key(api: Api) -> None:
    agent = await api.as_("requester", **{"Idempotency-Key": "k"})
    body = {
        "kind": "form",
        "thread_id": "t1",
        "validator": "requester",
        "form": {"fields": [{"id": "dish", "type": "text", "label": "Dish"}]},
    }
    made_body = (await agent.post("/v1/requests", json=body)).json()
    await (await api.as_("responder")).post(f"/v1/requests/{made_body['id']}/answer", json=ANSWER)
    second_body = (await agent.post("/v1/requests", json=body)).json()
    assert (second_body["id"], second_body["status"], second_body["submitted"]) == (
        made_body["id"],
        "resolving",
        {"values": {"dish": "soup"}},
    )


async def test_a_form_that_is_asked_again_may_be_as_large_as_one_that_is_asked() -> None:
    app = create_app(limits=Limits(request_bytes=2_000))
    async with app.running():
        api = Api(app, ManualClock())
        request = await create_request(api, validator="requester")
        table = Table(await api.as_("requester"), await api.as_("responder"), request)
        await table.answer()
        large = {**request["form"], "description": "x" * 2_000}
        first_reply = await table.agent.post("/v1/requests", json=ask(form=large))
        reprompt_reply = await table.reprompt(form=large)
        for refused_reply, path in ((first_reply, ""), (reprompt_reply, "form")):
            [fault] = refused_reply.json()["error"]["field_errors"]
            assert (refused_reply.status_code, fault["path"], fault["code"]) == (422, path, "too_long")
        assert (await table.read())["status"] == "resolving"
        assert (await table.reprompt(form={**large, "description": "x" * 1_000})).status_code == 200
