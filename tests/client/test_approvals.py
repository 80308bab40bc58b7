"""Ask for approval and use it, over a WebSocket, over HTTP and in process."""

from __future__ import annotations

import asyncio
import copy
from typing import Any

import anyio
import pytest

from askback import Approval, AsyncClient, Conflict, Forbidden, Form, Gone, Invalid, Risk, Text
from askback.server.system import SystemClock
from tests.client.conftest import Connect, clients_of_app
from tests.client.deciding import deciding, wait_for_request

TRANSPORTS = ("websocket", "http")


PUSH: dict[str, Any] = {"command": "git push origin main"}
FORM = Form(fields=[Text(id="topic", label="Topic")])


class Later(SystemClock):
    """The time, or a later one."""

    by_ms = 0

    def now_ms(self) -> int:
        return super().now_ms() + self.by_ms


async def test_a_yes_is_a_true_decision_with_the_input_that_was_asked(
    agent: AsyncClient, person: AsyncClient, thread: str
):
    async with deciding(person, thread, {"decision": "approve", "note": "go on"}) as requests:
        decision = await agent.approve("bash", PUSH, thread_id=thread, title="Publish", reason="it is ready")
    assert decision
    assert (decision.status, decision.tool, decision.input) == ("approve", "bash", PUSH)
    assert (decision.scope, decision.note, decision.source) == ("once", "go on", "responder")
    assert decision.request is not None
    assert requests[0].approval is not None
    assert (decision.request.id, decision.digest) == (requests[0].id, requests[0].approval.digest)
    assert (requests[0].approval.title, requests[0].approval.reason) == ("Publish", "it is ready")


@pytest.mark.requirement("B18")
async def test_a_no_is_a_false_decision_whose_text_tells_the_model_why(
    agent: AsyncClient, person: AsyncClient, thread: str
):
    async with deciding(person, thread, {"decision": "deny", "note": "not on a Friday"}):
        decision = await agent.approve("bash", PUSH, thread_id=thread)
    assert not decision
    assert (decision.status, decision.input, decision.note) == ("deny", {}, "not on a Friday")
    assert '"bash"' in decision.text
    assert decision.text.endswith("not on a Friday")


@pytest.mark.requirement("B17")
async def test_a_denied_call_is_denied_again_without_asking(
    agent: AsyncClient, person: AsyncClient, thread: str
):
    async with deciding(person, thread, {"decision": "deny"}):
        first_decision = await agent.approve("bash", PUSH, thread_id=thread)
        second_decision = await agent.approve("bash", PUSH, thread_id=thread)
    assert first_decision.request is not None
    assert second_decision.request is not None
    assert (second_decision.status, second_decision.request.id, second_decision.request.repeated) == (
        "deny",
        first_decision.request.id,
        True,
    )
    assert second_decision.text != first_decision.text
    assert len(await agent.requests.list(thread_id=thread)) == 1


async def test_an_undecided_approval_permits_nothing(agent: AsyncClient, person: AsyncClient, thread: str):
    async with deciding(person, thread, "dismissed"):
        declined_decision = await agent.approve("bash", PUSH, thread_id=thread)
    assert (bool(declined_decision), declined_decision.status, declined_decision.input) == (
        False,
        "declined",
        {},
    )


@pytest.mark.requirement("B20")
async def test_nobody_in_time_means_no(agent: AsyncClient, thread: str):
    with anyio.fail_after(120):
        decision = await agent.approve("bash", PUSH, thread_id=thread, timeout_s=1)
    assert (bool(decision), decision.status, decision.input) == (False, "expired", {})


async def test_an_approval_is_open_for_five_minutes_unless_it_says_otherwise(agent: AsyncClient, thread: str):
    unsaid = await agent.requests.create(Approval(tool="bash", input=PUSH), thread_id=thread)
    assert unsaid.expires_at is not None
    assert (unsaid.expires_at - unsaid.created_at).total_seconds() == 300
    waiting = asyncio.create_task(agent.approve("make", {}, thread_id=f"{thread} 2", timeout_s=None))
    assert (await wait_for_request(agent, f"{thread} 2")).expires_at is None
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_a_withdrawn_call_may_not_run(agent: AsyncClient, thread: str):
    async with anyio.create_task_group() as tasks:

        async def take_back() -> None:
            await agent.requests.cancel(await wait_for_request(agent, thread), "superseded")

        tasks.start_soon(take_back)
        with anyio.fail_after(120):
            decision = await agent.approve("bash", PUSH, thread_id=thread)
    assert (bool(decision), decision.status) == (False, "cancelled")


@pytest.mark.requirement("C4")
async def test_a_listed_reading_tool_is_allowed_with_its_input_unchanged(agent: AsyncClient, thread: str):
    call = {"file_path": "src/ä.py", "offset": 1.5, "deep": [{"none": None, "yes": True}]}
    decision = await agent.approve("Read", call, thread_id=thread)
    assert decision
    assert (decision.input, decision.source) == (call, "policy")
    assert decision.reasons
    assert [event["type"] for event in await _events(agent, thread, 1)] == ["request.answered"]


@pytest.mark.requirement("B16")
async def test_a_changed_input_takes_the_place_of_the_one_that_was_asked(
    agent: AsyncClient, person: AsyncClient, thread: str
):
    safer = {"command": "git push --dry-run origin main"}
    async with deciding(person, thread, {"decision": "approve", "edited_input": safer}):
        decision = await agent.approve("bash", {**PUSH, "timeout": 5}, thread_id=thread, allow_edit=True)
    assert decision.input == safer
    assert decision.request is not None
    assert (await agent.consume(decision.request, "exe-1")).input == safer
    assert "--dry-run" in decision.text


@pytest.mark.requirement("B15", "B29")
@pytest.mark.parametrize("value", [["bob", {"n": 0.1}], "größer", 5, False, None], ids=repr)
async def test_an_input_of_any_type_comes_back_as_it_was(
    agent: AsyncClient, person: AsyncClient, thread: str, value: object
):
    seen_items: list[object] = []
    async with deciding(person, thread, {"decision": "approve"}):
        decision = await agent.approve(
            "send", value, thread_id=thread, hooks=[lambda _, given: seen_items.append(given)]
        )
    assert (decision.input, seen_items) == (value, [value, value])
    used_execution = await agent.consume(decision, "exe-1", tool="send", input=value)
    assert used_execution.input == value


@pytest.mark.requirement("B16", "B7")
async def test_an_input_edited_into_a_hard_limit_is_not_approved(
    agent: AsyncClient, person: AsyncClient, thread: str
):
    request = await agent.requests.create(
        Approval(tool="bash", input=PUSH, allow_edit=True), thread_id=thread
    )
    with pytest.raises(Invalid):
        await person.requests.decide(request, "approve", edited_input={"command": "rm -rf /"})
    assert (await agent.requests.get(request.id)).status == "pending"


@pytest.mark.requirement("B15")
async def test_an_approved_call_is_used_once_and_no_other_with_it(
    agent: AsyncClient, person: AsyncClient, thread: str
):
    async with deciding(person, thread, {"decision": "approve"}):
        decision = await agent.approve("bash", PUSH, thread_id=thread)
    assert decision.request is not None
    with pytest.raises(Conflict) as exc_info:
        await agent.consume(
            decision.request, "exe-1", tool="bash", input={"command": "git push -f origin main"}
        )
    first_execution = await agent.consume(decision.request, "exe-1", tool="bash", input=PUSH)
    second_execution = await agent.consume(decision.request, "exe-1", digest=decision.digest)
    with pytest.raises(Conflict) as second:
        await agent.consume(decision.request, "exe-2")
    assert (exc_info.value.code, second.value.code) == ("digest_mismatch", "already_consumed")
    assert first_execution == second_execution
    assert (first_execution.input, first_execution.outcome) == (PUSH, None)
    assert (await agent.report(decision.request, "exe-1", "failed", note="exit 1")).outcome == "failed"
    with pytest.raises(Conflict) as contradiction:
        await agent.report(decision.request, "exe-1", "succeeded")
    assert contradiction.value.code == "already_reported"


async def test_a_call_without_approval_cannot_be_used(agent: AsyncClient, person: AsyncClient, thread: str):
    async with deciding(person, thread, {"decision": "deny"}):
        denied_decision = await agent.approve("bash", PUSH, thread_id=thread)
    assert denied_decision.request is not None
    with pytest.raises(Conflict) as exc_info:
        await agent.consume(denied_decision.request, "exe-1")
    assert exc_info.value.code == "not_approved"


async def test_an_approval_is_good_for_a_while_only(thread: str):
    clock = Later()
    async with clients_of_app(clock=clock) as connect, connect() as agent:
        decision = await agent.approve("Read", {"file_path": "a"}, thread_id=thread, valid_s=60)
        assert decision.request is not None
        clock.by_ms = 60_000
        with pytest.raises(Gone) as exc_info:
            await agent.consume(decision.request, "exe-1")
    assert exc_info.value.code == "decision_expired"


@pytest.mark.requirement("C20")
async def test_cancelling_the_task_takes_the_approval_back(
    agent: AsyncClient, person: AsyncClient, thread: str
):
    task = asyncio.create_task(agent.approve("bash", PUSH, thread_id=thread))
    request = await wait_for_request(agent, thread)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with anyio.fail_after(120):
        ended_request = await person.wait(
            request
        )  # while this agent waited for it, it would not be withdrawn
    assert (ended_request.status, ended_request.reason) == ("cancelled", "agent_aborted")


@pytest.mark.requirement("B23")
async def test_a_plan_is_approved_changed_or_approved_with_its_edits(
    agent: AsyncClient, person: AsyncClient, thread: str
):
    async with deciding(
        person, thread,
        {"decision": "deny", "note": "write the tests first"},
        {"decision": "approve", "mode": "accept_edits"},
    ):  # fmt: skip
        changes = await agent.approve_plan("# Plan\n\n1. Write it", thread_id=thread)
        accepted_decision = await agent.approve_plan("# Plan\n\n1. Test it\n2. Write it", thread_id=thread)
    assert (bool(changes), changes.note) == (False, "write the tests first")
    assert (bool(accepted_decision), accepted_decision.mode) == (True, "accept_edits")
    assert (await person.policy.get(thread)).mode == "accept_edits"


@pytest.mark.requirement("K6")
async def test_an_approval_with_a_quorum_of_two_needs_two_people(
    agent: AsyncClient, person: AsyncClient, connect: Connect, thread: str
):
    asking = asyncio.create_task(
        agent.approve("bash", PUSH, thread_id=thread, quorum=2, risk=Risk(level="danger"))
    )
    request = await wait_for_request(person, thread)
    voted = await person.requests.decide(request, "approve")
    assert (voted.status, len(voted.votes)) == ("pending", 1)
    with pytest.raises(Conflict) as twice:
        await person.requests.decide(request, "approve")
    assert twice.value.code == "already_voted"
    async with connect("admin") as second:
        await second.requests.decide(request, "approve")
    with anyio.fail_after(120):
        assert await asking


async def test_a_decision_is_about_the_shown_call(agent: AsyncClient, person: AsyncClient, thread: str):
    request = await agent.requests.create(Approval(tool="bash", input=PUSH), thread_id=thread)
    assert request.approval is not None
    other = request.model_copy(update={"approval": request.approval.model_copy(update={"digest": "0" * 64})})
    with pytest.raises(Conflict) as exc_info:
        await person.requests.decide(other, "approve")
    assert exc_info.value.code == "digest_mismatch"
    assert (await person.requests.decide(request, "approve")).status == "answered"


async def test_only_assignees_may_answer(agent: AsyncClient, person: AsyncClient, thread: str):
    for request_body in (FORM, Approval(tool="bash", input=PUSH)):
        request = await agent.requests.create(request_body, thread_id=thread, assignees=["somebody-else"])
        with pytest.raises(Forbidden) as exc_info:
            await person.requests.decline(request)
        assert exc_info.value.code == "not_assigned"


async def test_each_request_of_a_batch_is_decided_separately(
    agent: AsyncClient, person: AsyncClient, thread: str
):
    requests = [
        await agent.requests.create(Approval(tool="bash", input={"command": f"make {n}"}), thread_id=thread)
        for n in range(3)
    ]
    await person.requests.decide(requests[0], "approve")
    results = await person.requests.batch("deny", [*requests, "req_nope"], note="later")
    assert [result.id for result in results] == [*(request.id for request in requests), "req_nope"]
    assert [type(result.error).__name__ for result in results] == [
        "Conflict", "NoneType", "NoneType", "NotFound",
    ]  # fmt: skip
    settled = [result.request for result in results[1:3] if result.request is not None]
    assert [r.answer.decision for r in settled if r.answer] == ["deny", "deny"]


async def test_a_requester_cannot_decide(agent: AsyncClient, thread: str):
    request = await agent.requests.create(Approval(tool="bash", input=PUSH), thread_id=thread)
    with pytest.raises(Forbidden):
        await agent.requests.decide(request, "approve")
    with pytest.raises(Forbidden):
        await agent.requests.batch("approve", [request])


async def test_a_wrong_call_raises(agent: AsyncClient, person: AsyncClient, thread: str):
    with pytest.raises(Invalid) as nameless:
        await agent.approve("", PUSH, thread_id=thread)
    assert nameless.value.field_errors[0]["path"] == "approval.tool"
    with pytest.raises(Invalid) as not_json:
        await agent.approve("bash", {"command": {1, 2}}, thread_id=thread)
    assert not_json.value.field_errors[0] == {
        "path": "approval", "code": "not_json", "message": "Must be made of what JSON can hold.",
    }  # fmt: skip
    with pytest.raises(Forbidden):
        await person.approve("bash", PUSH, thread_id=thread)


async def test_a_restarted_agent_finds_the_decision_made_in_between(
    connect: Connect, person: AsyncClient, thread: str
):
    key = f"push {thread[:-2]}"
    async with connect() as first:
        task = asyncio.create_task(
            first.approve("bash", PUSH, thread_id=thread, idempotency_key=key, cancel_on_abort=False)
        )
        request = await wait_for_request(first, thread)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    await person.requests.decide(request, "approve")
    async with connect() as second:
        with anyio.fail_after(120):
            assert await second.approve("bash", PUSH, thread_id=thread, idempotency_key=key)
        assert len(await second.requests.list(thread_id=thread)) == 1


@pytest.mark.requirement("M6")
async def test_the_texts_for_the_model_can_be_replaced(connect: Connect, person: AsyncClient, thread: str):
    async with (
        connect(texts={"approval.deny": "Leave {tool} alone."}) as agent,
        deciding(person, thread, {"decision": "deny"}),
    ):
        decision = await agent.approve("bash", PUSH, thread_id=thread)
    assert decision.text == 'Leave "bash" alone.'
    assert copy.deepcopy(decision).text == decision.text  # a framework may copy or store it
    with pytest.raises(ValueError, match="no text"):
        connect(texts={"approval.never": ""})


async def _events(client: AsyncClient, thread: str, count: int) -> list[dict[str, Any]]:
    seen_items: list[dict[str, Any]] = []
    with anyio.fail_after(120):
        async for event in client.events(thread, cursor=0):
            seen_items.append(event)
            if len(seen_items) == count:
                break
    return seen_items
