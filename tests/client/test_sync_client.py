"""`Client` is `AsyncClient` without an event loop."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import textwrap
import threading

import anyio
import pytest

from askback import AsyncClient, Client, Conflict, Denied, Form, NotFound, Text
from askback.client.transport_app import AppFailed
from askback.server.app import create_app
from tests.client.servers import TOKENS, ServerProcess

FORM = Form(fields=[Text(id="topic", label="Topic", required=True)])
RESOURCES = {
    "agents",
    "audit",
    "limits",
    "policy",
    "requests",
    "resumes",
    "rules",
    "secrets",
    "sessions",
    "threads",
    "tokens",
    "webhooks",
}
OTHER = Form(fields=[Text(id="title", label="Title")])


@pytest.fixture
def agent(server: ServerProcess):
    with Client(server.url, TOKENS["requester"]) as client:
        yield client


@pytest.fixture
def person(server: ServerProcess):
    with Client(server.url, TOKENS["responder"]) as client:
        yield client


def test_it_has_every_method_and_resource_of_the_asynchronous_client():
    def public(client_class: object) -> set[str]:
        return {name for name in dir(client_class) if not name.startswith("_")}

    async def resources() -> dict[str, set[str]]:
        async with AsyncClient("http://127.0.0.1:1", "t") as client:
            return {name: public(getattr(client, name)) for name in public(client)}

    asynchronous = anyio.run(resources)
    with Client("http://127.0.0.1:1", "t") as client:
        blocking = {name: public(getattr(client, name)) for name in public(client)}
    assert blocking.keys() == asynchronous.keys() - {"aclose"} | {"close"}
    assert {name: blocking[name] for name in RESOURCES} == {name: asynchronous[name] for name in RESOURCES}


@pytest.mark.requirement("G7")
def test_asking_blocks_until_the_answer(agent: Client, person: Client, thread: str):
    def answer() -> None:
        for event in person.events(thread, cursor=0):
            if event["type"] == "request.created":
                person.requests.answer(event["request"]["id"], {"topic": "Bees"})
                return

    answering = threading.Thread(target=answer)
    answering.start()
    assert agent.form(FORM, thread_id=thread).values == {"topic": "Bees"}
    answering.join(120)


def test_requests_messages_and_errors(agent: Client, person: Client, thread: str):
    request = agent.requests.create(FORM, thread_id=thread)
    with agent.stream(thread) as out:
        out.write("One, ")
        out.write("two.")
    assert [m["id"] for m in person.threads.get(thread)["messages"]] == [out.id]
    assert person.requests.decline(request).status == agent.wait(request).status == "declined"
    with pytest.raises(Conflict):
        agent.requests.cancel(request)
    with pytest.raises(NotFound):
        agent.requests.get("req_nope")
    with pytest.raises(TimeoutError):
        agent.wait(agent.requests.create(OTHER, thread_id=thread), timeout=0.05)


def test_asking_for_permission_blocks_until_the_decision(agent: Client, person: Client, thread: str):
    def decide() -> None:
        for event in person.events(thread, cursor=0):
            if event["type"] == "request.created":
                person.requests.decide(event["request"]["id"], "approve", note="go on")
                return

    deciding = threading.Thread(target=decide)
    deciding.start()
    decision = agent.approve("bash", {"command": "make all"}, thread_id=thread)
    deciding.join(120)
    assert decision
    assert decision.note == "go on"
    assert agent.consume(decision, "exe-1").input == decision.input == {"command": "make all"}
    assert agent.report(decision, "exe-1", "succeeded").outcome == "succeeded"


@pytest.mark.requirement("B29")
def test_without_a_server_nothing_is_permitted_or_used():
    with Client("http://127.0.0.1:9", TOKENS["requester"], retry_for=0) as agent:
        decision = agent.approve("bash", {"command": "make all"}, thread_id="t1")
        assert decision.status == "unavailable"
        with pytest.raises(Denied):
            agent.consume(decision, "exe-1")


def test_several_operating_system_threads_may_ask_concurrently(agent: Client, person: Client, thread: str):
    findings: dict[str, object] = {}

    def ask(name: str) -> None:
        findings[name] = agent.form(FORM, thread_id=thread, tool_call_id=name).values["topic"]

    asking = [threading.Thread(target=ask, args=(name,)) for name in "abc"]
    for one in asking:
        one.start()
    left = 3
    for event in person.events(thread, cursor=0):
        if event["type"] == "request.created":
            person.requests.answer(event["request"]["id"], {"topic": event["request"]["tool_call_id"]})
            left -= 1
        if not left:
            break
    for one in asking:
        one.join(120)
    assert findings == {"a": "a", "b": "b", "c": "c"}


def test_an_app_in_the_same_process():
    app = create_app()
    with Client(app=app) as agent:
        request = agent.requests.create(FORM, thread_id="t1")
        assert [r.id for r in agent.requests.list(thread_id="t1")] == [request.id]


def test_a_second_blocking_client_of_an_app_is_refused():
    app = create_app()
    with Client(app=app) as agent:
        agent.say("Hello", thread_id="t1")
        with Client(app=app) as other, pytest.raises(AppFailed, match="another event loop"):
            other.say("Hello", thread_id="t1")
        agent.say("Hello", thread_id="t1")


def test_an_app_of_a_client_that_was_never_closed_is_refused_in_another_event_loop():
    app = create_app()

    async def run() -> None:
        await AsyncClient(app=app).say("Hello", thread_id="t1")

    asyncio.run(asyncio.wait_for(run(), 120))
    with pytest.raises(AppFailed, match="another event loop"):
        asyncio.run(asyncio.wait_for(run(), 120))


@pytest.mark.requirement("C20")
async def test_an_interrupt_takes_the_question_back(server: ServerProcess, thread: str):
    script = f"""
        from askback import Client, Form, Text
        form = Form(fields=[Text(id="topic", label="Topic")])
        with Client({server.url!r}, {TOKENS["requester"]!r}) as client:
            client.form(form, thread_id={thread!r})
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], stderr=subprocess.PIPE)
    async with server.client("responder") as person:
        with anyio.fail_after(120):
            async for event in person.events(thread, cursor=0):
                if event["type"] == "request.created":
                    process.send_signal(signal.SIGINT)
                if event["type"] == "request.cancelled":
                    assert event["request"]["reason"] == "agent_aborted"
                    break
    _, errors = await anyio.to_thread.run_sync(process.communicate)
    assert errors.decode().strip().endswith("KeyboardInterrupt")
