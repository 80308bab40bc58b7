"""The promises of the TypeScript client, with a real server and a person."""

from __future__ import annotations

import json

import pytest

from askback import AsyncClient
from tests.client.servers import ServerProcess
from tests.typescript.conftest import Start, settled, wait_for_requests

# The first of them installs and compiles the project.
pytestmark = [pytest.mark.anyio]


async def test_a_form_a_choice_and_yes_or_no_come_back_as_they_were_answered(
    start: Start, person: AsyncClient
) -> None:
    expected = {"form": {"topic": "rain"}, "ask": {"answer": "B"}, "confirm": {"answer": "Yes"}}
    output = {}
    for verb, values in expected.items():
        program = start("calls.js", verb, f"ts-{verb}")
        [request] = await wait_for_requests(person, f"ts-{verb}")
        await person.requests.answer(request, values)
        output[verb] = json.loads((await program.ended()).splitlines()[0])
    assert output == {"form": {"topic": "rain"}, "ask": "B", "confirm": True}


async def test_a_message_is_in_the_thread_and_any_operation_can_be_called(
    start: Start, person: AsyncClient
) -> None:
    await start("calls.js", "say", "ts-say").ended()
    assert (await start("calls.js", "threads", "ts-say").ended()).startswith('"ts-say"')


async def test_a_server_that_was_not_found_is_looked_for_again_at_the_next_call(start: Start) -> None:
    assert (await start("calls.js", "later", "ts-later").ended()).splitlines()[0] == '"NoServer"'


async def test_an_outcome_without_an_answer_is_thrown(start: Start, person: AsyncClient) -> None:
    program = start("calls.js", "ask", "ts-declined")
    [request] = await wait_for_requests(person, "ts-declined")
    await person.requests.decline(request, reason="refused")
    body = json.loads((await program.ended()).splitlines()[0])
    assert body == {"name": "Declined", "message": f"request {request.id} was declined: refused"}


async def test_a_refusal_names_each_fault_with_its_path(start: Start) -> None:
    body = json.loads((await start("calls.js", "bad", "ts-bad").ended()).splitlines()[0])
    assert body["name"] == "Refused"
    assert "\n  form.fields[0].options: " in body["message"]


async def test_a_denied_call_never_runs_and_the_model_reads_why(start: Start, person: AsyncClient) -> None:
    program = start("calls.js", "deploy", "ts-denied")
    [request] = await wait_for_requests(person, "ts-denied")
    await person.requests.decide(request, "deny", note="not on Friday")
    model_text, run_result = (await program.ended()).splitlines()
    assert json.loads(model_text)["name"] == "Denied"
    assert json.loads(model_text)["message"].startswith(
        'The person denied execution of the tool "deploy" with {"to": "prod"}: it was not run.'
    )
    assert json.loads(model_text)["message"].endswith("not on Friday")
    assert json.loads(run_result) == []


async def test_an_approved_call_runs_once_with_the_approved_arguments(
    start: Start, person: AsyncClient
) -> None:
    program = start("calls.js", "deploy", "ts-edited")
    [request] = await wait_for_requests(person, "ts-edited")
    await person.requests.decide(request, "approve", edited_input={"to": "stage"})
    assert (await program.ended()).splitlines()[1].strip() == '[{"to":"stage"}]'
    assert (await person.requests.get(request.id)).used_at is not None


async def test_concurrent_calls_are_decided_separately(start: Start, person: AsyncClient) -> None:
    program = start("calls.js", "two", "ts-two")
    for request in await wait_for_requests(person, "ts-two", 2):
        assert request.approval is not None
        assert isinstance(request.approval.input, dict)
        await person.requests.decide(
            request, "approve" if request.approval.input["to"] == "stage" else "deny"
        )
    results, run_result = (await program.ended()).splitlines()
    assert [load["status"] for load in json.loads(results)] == ["rejected", "fulfilled"]
    assert json.loads(run_result) == [{"to": "stage"}]


@pytest.mark.parametrize(("verb", "status"), [("plan", "approve"), ("decide", "deny")])
async def test_a_plan_and_a_decision_have_their_status(
    start: Start, person: AsyncClient, verb: str, status: str
) -> None:
    program = start("calls.js", verb, f"ts-{verb}")
    [request] = await wait_for_requests(person, f"ts-{verb}")
    await person.requests.decide(request, "approve" if status == "approve" else "deny")
    assert json.loads((await program.ended()).splitlines()[0]) == status


async def test_a_secret_is_leased_and_shown_nowhere(start: Start, person: AsyncClient) -> None:
    program = start("calls.js", "secret", "ts-secret")
    [request] = await wait_for_requests(person, "ts-secret")
    await person.requests.submit(request, {"DEPLOY_TOKEN": "s3cret-value"}, scope="session")
    program_output, length, _ = (await program.ended()).splitlines()
    assert program_output == '{"names":["DEPLOY_TOKEN"]} 12'
    assert json.loads(length) == 12


async def test_an_aborted_wait_throws_the_reason_and_cancels_the_request(
    start: Start, person: AsyncClient, project: object
) -> None:
    program = start("calls.js", "abort", "ts-abort")
    await wait_for_requests(person, "ts-abort")
    assert program.process.stdin is not None
    program.process.stdin.write("now\n")
    program.process.stdin.close()
    program.process.stdin = None
    ended_request = await settled(person, "ts-abort")
    assert (ended_request["status"], ended_request["reason"]) == ("cancelled", "agent_aborted")
    assert json.loads((await program.ended()).splitlines()[0])["message"] == "left"


async def test_the_same_key_asks_once(start: Start, person: AsyncClient) -> None:
    program = start("calls.js", "twice", "ts-twice")
    [request] = await wait_for_requests(person, "ts-twice")
    await person.requests.answer(request, {"answer": "yes"})
    assert json.loads((await program.ended()).splitlines()[0]) == ["yes", "yes"]
    assert len(await person.requests.list(thread_id="ts-twice")) == 1


async def test_a_server_that_is_gone_denies_the_call(start: Start, own_server: ServerProcess) -> None:
    own_server.kill()
    program = start("unreachable.js", "ts-gone", server_process=own_server)
    body = json.loads(await program.ended())
    assert body["decision"] == "unavailable"
    assert body["text"].startswith('Nobody could be asked whether the tool "deploy" may run')
    assert body["call"] == "ConnectionLost"
