"""Groups F and N over HTTP: a hook decides about a decline or a deadline before it counts (ADR 58)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import anyio
import pytest

from askback.domain.verdict import Accept, AskAgain, Verdict
from askback.ports.validator import Submission
from askback.server.app import create_app
from askback.service.jobs import deadlines
from tests.requirements import requirement
from tests.transports.conftest import Api, ManualClock, ask, create_request
from tests.transports.test_verdicts import advance_clock, paths, read, step

pytestmark = pytest.mark.anyio

FORM = {
    "fields": [
        {"id": "dish", "type": "text", "label": "Dish", "required": True},
        {"id": "count", "type": "number", "label": "Count", "max": 5},
    ]
}
SECRET = {"fields": [{"id": "a", "type": "text", "label": "A", "sensitive": True}]}


async def decline(api: Api, request: dict[str, Any], **body: Any) -> dict[str, Any]:
    person = await api.as_("responder")
    reply = await person.post(
        f"/v1/requests/{request['id']}/decline", json={"reason": "dismissed", "note": "Later.", **body}
    )
    assert reply.status_code == 200, reply.text
    return reply.json()


async def audit_results(api: Api) -> list[tuple[str, bool]]:
    log = (await (await api.as_("admin")).get("/v1/audit")).json()["entries"]
    return [(item["action"], item.get("held", False)) for item in log if "request_id" in item]


@requirement("F20")
async def test_a_decline_carries_typed_values_that_are_valid(api: Api) -> None:
    request = await create_request(api, form=FORM)
    ended_request = await decline(api, request, values={"dish": "so", "count": 9, "other": "x"})
    assert (ended_request["status"], ended_request["submitted"]) == ("declined", {"values": {"dish": "so"}})


@requirement("F20")
async def test_a_held_decline_is_asked_about_once_and_never_twice(api: Api) -> None:
    request = await create_request(api, form=FORM, hooks=["decline"])
    held_decline = await decline(api, request, values={"dish": "so"})
    assert (held_decline["status"], held_decline["held"], held_decline["submitted"]) == (
        "resolving",
        {"event": "decline", "reason": "dismissed", "note": "Later."},
        {"values": {"dish": "so"}},
    )
    assert await audit_results(api) == [("decline", True)]
    reprompted_request = (await step(api, request, "reprompt", error_summary="Really?")).json()
    assert (
        reprompted_request["status"],
        reprompted_request["declined_once"],
        reprompted_request["submitted"],
    ) == (
        "pending",
        True,
        {"values": {"dish": "so"}},
    )
    ended_request = await decline(api, request)
    assert (ended_request["status"], ended_request["reason"], ended_request["note"]) == (
        "declined",
        "dismissed",
        "Later.",
    )
    assert ended_request["refusal"]["count"] == 1


@requirement("F20")
async def test_a_decline_is_final_if_the_agent_accepts_it_or_does_not_reply(api: Api) -> None:
    for number, remember in enumerate((True, False)):
        request = await create_request(api, hooks=["decline"], thread_id=f"t{number}")
        await decline(api, request, remember=remember)
        if number:
            await advance_clock(api, 25 * 3600)
            ended_request = await read(api, request)
        else:
            ended_request = (await step(api, request, "accept")).json()
        assert (
            ended_request["status"],
            ended_request["reason"],
            ended_request["note"],
            ended_request["settled_by"]["name"],
        ) == (
            "declined",
            "dismissed",
            "Later.",
            "responder",
        )
        assert ("refusal" in ended_request) is remember


@requirement("F20")
async def test_a_second_decline_during_the_check_is_final_immediately(api: Api) -> None:
    request = await create_request(api, hooks=["decline"])
    await decline(api, request)
    assert (await decline(api, request, reason="refused"))["status"] == "declined"


@requirement("F20", "F22")
async def test_a_hook_may_answer_instead(api: Api) -> None:
    request = await create_request(api, hooks=["decline", "timeout"], timeout_s=5)
    await advance_clock(api, 6)
    assert (await read(api, request))["held"] == {"event": "timeout"}
    assert paths(await step(api, request, "accept", message="x")) == [("values", "missing_required")]
    ended_body = (await step(api, request, "accept", values={"dish": "soup"}, message="Chosen.")).json()
    assert (ended_body["status"], ended_body["source"], ended_body["answer"]) == (
        "answered",
        "hook",
        {"values": {"dish": "soup"}, "message": "Chosen."},
    )


@requirement("F22")
@pytest.mark.parametrize(
    ("on_timeout", "status"),
    [("expire", "expired"), ("cancel", "cancelled"), ("resume", "pending"), ("default", "answered")],
)
async def test_a_deadline_ends_the_request_as_configured(api: Api, on_timeout: str, status: str) -> None:
    form = {"fields": [{"id": "dish", "type": "text", "label": "Dish", "default": "soup"}]}
    request = await create_request(api, form=form, hooks=["timeout"], timeout_s=5, on_timeout=on_timeout)
    await advance_clock(api, 6)
    assert (await read(api, request))["status"] == "resolving"
    ended_body = (await step(api, request, "accept")).json()
    assert (ended_body["status"], "expires_at" in ended_body and status == "pending") == (status, False)


@requirement("F22")
async def test_a_deadline_may_be_moved_or_removed_by_its_hook(api: Api) -> None:
    request = await create_request(api, hooks=["timeout"], timeout_s=5)
    await advance_clock(api, 6)
    await step(api, request, "reprompt", error_summary="Still there?", timeout_s=60)
    await advance_clock(api, 61)
    assert (await read(api, request))["held"] == {"event": "timeout"}
    await step(api, request, "reprompt", timeout_s=None)
    await advance_clock(api, 10_000)
    assert (await read(api, request))["status"] == "pending"


async def test_hooks_and_sensitive_fields_are_not_for_one_form(api: Api) -> None:
    agent = await api.as_("requester")
    for hooks, fault in (
        (["decline"], ("hooks", "validator_with_sensitive")),
        (["answer"], ("hooks[0]", "unknown_value")),
        ("decline", ("hooks", "wrong_type")),
    ):
        refusal = await agent.post("/v1/requests", json=ask(form=SECRET, hooks=hooks))
        assert paths(refusal) == [fault]


# --- validators of the server -----------------------------------------------------------------

Serve = Callable[[Callable[[Submission], Verdict]], Any]


@pytest.fixture
async def serve() -> AsyncIterator[Serve]:
    """Serve with a validator `stock`."""
    async with anyio.create_task_group():
        stack: list[Any] = []

        async def start(stock: Callable[[Submission], Verdict]) -> Api:
            app = create_app(clock=ManualClock(), validators={"stock": stock})
            running = app.running()
            await running.__aenter__()
            stack.append(running)
            clock = app.services.clock
            assert isinstance(clock, ManualClock)
            return Api(app, clock)

        yield start
        for running in stack:
            await running.__aexit__(None, None, None)


async def wait_for_check(api: Api, request: dict[str, Any]) -> dict[str, Any]:
    """Return the request once its check has ended."""
    person = await api.as_("responder")
    params = {"wait": 20, "revision": request["revision"]}
    return (await person.get(f"/v1/requests/{request['id']}", params=params)).json()


def ask_really(submission: Submission) -> Verdict:
    return AskAgain(error_summary="Really?") if submission.event == "decline" else None


@requirement("F13", "F20")
async def test_a_validator_of_the_server_asks_once_about_a_decline(serve: Serve) -> None:
    api = await serve(ask_really)
    request = await create_request(api, validator="stock", hooks=["decline"])
    await decline(api, request)
    reread_request = await wait_for_check(api, request)
    assert (reread_request["status"], reread_request["error_summary"]) == ("pending", "Really?")
    assert (await decline(api, request))["status"] == "declined"


def _answers(submission: Submission) -> Verdict:
    return Accept(values={"dish": "soup"}) if submission.event == "timeout" else "No."


@requirement("F13", "F22")
async def test_a_validator_of_the_server_answers_at_the_deadline(serve: Serve) -> None:
    api = await serve(_answers)
    request = await create_request(api, validator="stock", hooks=["timeout"], timeout_s=5)
    api.clock.advance(seconds=6)
    await deadlines.sweep(api.app.services)
    result = await wait_for_check(api, request)
    assert (result["status"], result["source"]) == ("answered", "hook")


def _fails(_: Submission) -> Verdict:
    raise RuntimeError


@requirement("F20", "N3")
async def test_a_no_counts_when_the_validator_fails(serve: Serve) -> None:
    api = await serve(_fails)
    request = await create_request(api, validator="stock", hooks=["decline"])
    await decline(api, request)
    assert (await wait_for_check(api, request))["status"] == "declined"
