"""Each example runs unchanged against `askback serve`, found through `server.json`."""

# ruff: noqa: F811 - fixtures are imported, and named again by the tests that use them

from __future__ import annotations

import asyncio
import json
import runpy
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import anyio
import httpx2
import pytest

from askback import AsyncClient, Forbidden, Form, Invalid, NotFound, Text
from askback.ports.webhooks import WebhookResponse
from askback.server.app import create_app
from askback.service.webhooks import dispatch
from tests.examples.server import EXAMPLES, data, run  # noqa: F401 - fixtures

ANSWERS: dict[str, tuple[str, dict[str, Any], str]] = {
    "agent.py": ("reports", {"format": "PDF", "topic": "Whales"}, "{'format': 'PDF', 'topic': 'Whales'}"),
    "model.py": (
        "travel",
        {"city": "Rome", "leaves": "2026-12-01", "nights": 4, "by": "bus"},
        "4 nights in Rome from 01 December 2026, by bus.",
    ),
    "schema.py": (
        "rooms",
        {"size": "s", "day": "2026-12-01", "guests": "a@b.co\nc@d.co"},
        "{'size': 's', 'day': '2026-12-01', 'guests': ['a@b.co', 'c@d.co']}",
    ),
    "nested_model.py": (
        "orders",
        {"name": "Ada", "deliver_to.street": "Main St 1", "deliver_to.country": "FR"},
        "Order(name='Ada', deliver_to=Address(street='Main St 1', country='FR'), bill_to=None, notes=[])",
    ),
    "blocking.py": ("backups", {}, "Deleting."),
    "restart.py": ("releases", {"name": "Otter"}, "Otter"),
    "checked_answer.py": ("services", {"name": "shop"}, "The service is called shop."),
    "form_in_steps.py": (
        "platform",
        {"name": "tides", "store": "Postgres", "host": "main"},
        "{'name': 'tides', 'store': 'Postgres', 'host': 'main'}",
    ),
    "resume.py": ("holidays", {"where": "sea"}, "About your question (req_"),
    "run.py": ("order-1234", {"answer": "M"}, "M finished"),
    "from_shell.sh": ("shell", {"answer": "staging"}, "Deploying: {"),
    "parallel.py": ("parallel", {}, "{'color': 'green', 'size': 'large', 'shape': 'square'}"),
}

OWN_TESTS = (
    "nebo_agent.py",
    "adapter.py",
    "receive_webhook.py",
    "share_a_thread.py",
    "directory.py",
    "server_probe.py",
    "translate.py",
    "action.py",
    "own_kind.py",
    "ask_for_a_file.py",
    "questionnaire_agent.py",
    "ihub_agent.py",
    "gobby_agent.py",
    "agor_agent.py",
    "test_an_agent.py",
    "test_with_the_plugin.py",
    "evaluate_an_agent.py",
    "assign.py",
)
"""Examples that have a test of their own."""

DECISIONS: dict[str, tuple[str, str, str]] = {
    "approve_a_command.py": ("commands", "It ended with 0.\n", 'denied execution of the tool "bash"'),
    "requires_approval.py": (
        "files",
        "hello.txt has 6 characters.\n",
        'denied execution of the tool "write_file"',
    ),
    "own_loop.py": (
        "own-loop",
        "Deploying to production.\nDeployed to production.\n",
        'denied execution of the tool "deploy"',
    ),
    "wrap_a_tool.py": (
        "wrapped",
        "wrapped: sent 'Hello!' to bob@example.com.\n",
        'denied execution of the tool "send_mail"',
    ),
}

SUBMISSIONS: dict[str, tuple[str, str, list[str], str]] = {
    "use_a_secret.py": (
        "deploys",
        "DEPLOY_TOKEN",
        ["dep-9f27-canary"],
        "Deploying with [secret:DEPLOY_TOKEN].\n",
    ),
    "probe_a_secret.py": (
        "crm",
        "CRM_KEY",
        ["too-short", "exactly-16-chars"],
        "[askback] User submitted CRM_KEY (scope: session). You can now retry the operation that needed it.\n",
    ),
}


def test_every_example_has_a_test() -> None:
    tested_examples = ANSWERS.keys() | DECISIONS.keys() | SUBMISSIONS.keys() | set(OWN_TESTS)
    assert {path.name for path in EXAMPLES.iterdir() if path.is_file()} == tested_examples


@pytest.mark.parametrize("example", ANSWERS)
async def test_the_example_asks_and_continues(example: str, data: Path) -> None:
    thread, values, output = ANSWERS[example]
    tokens = json.loads((data / "server.json").read_text())
    process = run(example, data)
    async with AsyncClient(tokens["url"], tokens["responder_token"]) as person:
        with anyio.fail_after(120):
            left = 3 if example == "parallel.py" else 1
            async for event in person.events(thread, cursor=0):
                if event["type"] != "request.created":
                    continue
                request = event["request"]
                known = values or {field["id"]: _last(field) for field in request["form"]["fields"]}
                await person.requests.answer(request["id"], known, revision=1)
                left -= 1
                if not left:
                    break
            out, err = await anyio.to_thread.run_sync(process.communicate)
    assert process.returncode == 0, err
    assert out.startswith(output)


@pytest.mark.parametrize("example", DECISIONS)
async def test_the_example_runs_only_the_approved_call(example: str, data: Path) -> None:
    thread, output, refusal_text = DECISIONS[example]
    stored_secret_before = set(data.iterdir())
    approved, out = await decide_request(example, data, thread, "approve", after=0)
    new_names = {path.name for path in set(data.iterdir()) - stored_secret_before}
    assert (out, new_names) == (output, {"commands": {"release"}, "files": {"hello.txt"}}.get(thread, set()))
    for name in new_names:
        path = data / name
        path.rmdir() if path.is_dir() else path.unlink()
    _, out = await decide_request(example, data, thread, "deny", after=approved)
    assert refusal_text in out
    assert set(data.iterdir()) == stored_secret_before


async def decide_request(
    example: str, data: Path, thread: str, decision: Literal["approve", "deny"], *, after: int
) -> tuple[int, str]:
    """Run an example and decide about its request; returns its event's `seq`, and the whole output."""
    tokens = json.loads((data / "server.json").read_text())
    process = run(example, data)
    seq = after
    async with AsyncClient(tokens["url"], tokens["responder_token"]) as person:
        with anyio.fail_after(120):
            async for event in person.events(thread, cursor=after):
                if event["type"] == "request.created":
                    await person.requests.decide(event["request"]["id"], decision)
                    seq = event["seq"] + 1
                    break
            out, err = await anyio.to_thread.run_sync(process.communicate)
    return seq, out + err


@pytest.mark.parametrize("example", SUBMISSIONS)
async def test_the_example_uses_the_secret_and_never_shows_it(example: str, data: Path) -> None:
    thread, name, values, output = SUBMISSIONS[example]
    tokens = json.loads((data / "server.json").read_text())
    process = run(example, data)
    left = list(values)
    async with AsyncClient(tokens["url"], tokens["responder_token"]) as person:
        with anyio.fail_after(120):
            async for event in person.events(thread, cursor=0):
                if event["type"] in {"request.created", "request.reprompted"}:
                    request = event["request"]
                    await person.requests.submit(
                        request["id"], {name: left.pop(0)}, revision=request["revision"]
                    )
                    if not left:
                        break
            out, err = await anyio.to_thread.run_sync(process.communicate)
    assert (process.returncode, out) == (0, output), err
    assert not [value for value in values if value in out + err]


async def test_the_stopped_agent_finds_the_answer_after_its_restart(data: Path) -> None:
    tokens = json.loads((data / "server.json").read_text())
    process = run("restart.py", data, "run-2")
    async with AsyncClient(tokens["url"], tokens["responder_token"]) as person:
        with anyio.fail_after(120):
            async for event in person.events("releases", cursor=0):
                request = event["request"]
                if (
                    event["type"] == "request.created"
                    and (await person.requests.get(request["id"])).status == "pending"
                ):
                    break
            process.send_signal(signal.SIGINT)
            await anyio.to_thread.run_sync(process.communicate)
            await person.requests.answer(request["id"], {"name": "Otter"})
            out, err = await anyio.to_thread.run_sync(run("restart.py", data, "run-2").communicate)
    assert out == "Otter\n", err


async def test_the_shared_thread_is_answered_by_its_owner_and_hidden_from_others(data: Path) -> None:
    tokens = json.loads((data / "server.json").read_text())
    process = run("share_a_thread.py", data)
    async with (
        httpx2.AsyncClient(base_url=tokens["url"], trust_env=False) as http,
        AsyncClient(tokens["url"], tokens["responder_token"]) as foreign_async_client,
    ):
        admin = {"Authorization": f"Bearer {tokens['admin_token']}"}
        reply = await http.post("/v1/tokens", json={"role": "responder", "user": "ada"}, headers=admin)
        async with AsyncClient(tokens["url"], reply.json()["token"]) as ada:
            with anyio.fail_after(120):
                async for event in ada.events("report-7", cursor=0):
                    if event["type"] == "request.created":
                        with pytest.raises(NotFound):
                            await foreign_async_client.requests.get(event["request"]["id"])
                        await ada.requests.answer(event["request"]["id"], {"title": "Whales"}, revision=1)
                        break
                out, err = await anyio.to_thread.run_sync(process.communicate)
    assert out == "Whales\n", err


async def test_a_colleague_gets_the_request_that_is_handed_to_them(data: Path) -> None:
    server = json.loads((data / "server.json").read_text())
    async with AsyncClient(server["url"], server["admin_token"]) as admin:
        bob = await admin.tokens.create("responder", name="Bob", user="bob")
        async with AsyncClient(server["url"], server["requester_token"]) as agent:
            request = await agent.requests.create(
                {"fields": [{"id": "q", "type": "text", "label": "Q"}]}, thread_id="handed"
            )
        process = run("assign.py", data, request.id, "Bob", ASKBACK_TOKEN=server["responder_token"])
        out, err = await anyio.to_thread.run_sync(process.communicate)
        assert out == "Assigned to Bob: ['bob']\n", err
        async with AsyncClient(server["url"], bob.token.reveal()) as inbox:
            answered_request = await inbox.requests.answer(request, {"q": "x"})
        assert answered_request.settled_by is not None
        assert answered_request.settled_by.user == "bob"


async def test_the_agent_reads_the_file_that_it_asked_for(data: Path) -> None:
    process = run("ask_for_a_file.py", data)
    server = json.loads((data / "server.json").read_text())
    async with AsyncClient(server["url"], server["responder_token"]) as person:
        with anyio.fail_after(120):
            async for event in person.events("books", cursor=0):
                if event["type"] == "request.created":
                    request = event["request"]["id"]
                    file = await person.files.upload(request, "invoice", b"%PDF-1.7", name="march.pdf")
                    await person.requests.answer(request, {"invoice": file.id}, revision=1)
                    break
            out, err = await anyio.to_thread.run_sync(process.communicate)
    assert out == "Booking an invoice of 8 bytes.\n", err


async def test_the_directory_is_asked_for_groups() -> None:
    app = runpy.run_path(str(EXAMPLES / "directory.py"))["app"]
    form = Form(fields=[Text(id="q", label="Q")])
    async with AsyncClient(app=app) as agent:
        request = await agent.requests.create(form, thread_id="t", assignees=["group:ops"])
        async with AsyncClient(app=app, token=await app.token("responder", user="eve")) as eve:
            with pytest.raises(Forbidden):
                await eve.requests.answer(request.id, {"q": "a"})
        async with AsyncClient(app=app, token=await app.token("responder", user="bob")) as bob:
            assert (await bob.requests.answer(request.id, {"q": "a"})).status == "answered"


async def test_the_server_tries_a_key_for_an_agent_that_names_its_probe() -> None:
    app = runpy.run_path(str(EXAMPLES / "server_probe.py"))["app"]
    async with AsyncClient(app=app) as agent:
        request = await agent.secrets.request("CRM_KEY", reason="x", thread_id="t", probe="crm", wait=False)
        assert request.request is not None
        async with AsyncClient(app=app, token=await app.token("responder")) as person:
            second_submission = await person.requests.submit(request.request, {"CRM_KEY": "too-short"})
            with anyio.fail_after(120):
                while second_submission.revision == 1:
                    second_submission = await person.requests.get(request.request.id)
            assert [error.message for error in second_submission.field_errors] == [
                "The CRM does not know this key."
            ]
            await person.requests.submit(second_submission, {"CRM_KEY": "exactly-16-chars"})
            with anyio.fail_after(120):
                ended_request = await agent.wait(second_submission)
    assert ended_request.answer is not None
    assert ended_request.answer.verified is True


async def test_a_server_has_its_own_kind() -> None:
    app = runpy.run_path(str(EXAMPLES / "own_kind.py"))["app"]
    async with AsyncClient(app=app) as agent:
        asking = asyncio.create_task(agent.custom("rating", {"subject": "the soup"}, thread_id="t"))
        with anyio.fail_after(120):
            while not (items := (await agent.requests.list()).items):
                await anyio.lowlevel.checkpoint()
        assert items[0].summary == "Rate the soup"
        async with AsyncClient(app=app, token=await app.token("responder")) as person:
            with pytest.raises(Invalid) as exc_info:
                await person.requests.answer_data(items[0], {"stars": 6})
            assert exc_info.value.field_errors[0]["message"] == "Give the soup 1 to 5 stars."
            await person.requests.answer_data(items[0], {"stars": 4})
            answer = await asking
    assert (answer.data, answer.text) == ({"stars": 4}, "The person gave the soup 4 of 5 stars.")


async def test_a_person_is_sent_to_a_page(data: Path) -> None:
    process = run("action.py", data)
    tokens = json.loads((data / "server.json").read_text())
    async with AsyncClient(tokens["url"], tokens["responder_token"]) as person:
        with anyio.fail_after(120):
            while not (items := (await person.requests.list(thread_id="plugins")).items):
                await anyio.lowlevel.checkpoint()
        await person.requests.finish(items[0], "failed", reason="The shop is closed.")
    assert process.communicate(timeout=120)[0] == "failed The shop is closed.\n"


class InProcessWebhookClient:
    """A webhook client that passes messages unchanged to an app in this process."""

    def __init__(self, app: Any) -> None:
        self._http = httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app))
        self.delivered_messages: list[dict[str, Any]] = []

    def check_url(self, url: str) -> None:
        pass

    async def post(
        self, url: str, *, headers: Mapping[str, str], body: bytes, answer_bytes: int = 0
    ) -> WebhookResponse:
        self.delivered_messages.append({"url": url, "headers": headers, "content": body})
        return WebhookResponse((await self.post_again(**self.delivered_messages[-1])).status_code)

    async def post_again(self, **message: Any) -> httpx2.Response:
        return await self._http.post(**message)


async def test_the_receiver_continues_once_and_only_with_a_signed_message(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(dispatch, "POLL_S", 0.02)
    webhook_client = InProcessWebhookClient(runpy.run_path(str(EXAMPLES / "receive_webhook.py"))["app"])
    app = create_app(webhook_client=webhook_client)
    async with AsyncClient(app=app) as agent:
        await agent.requests.list()
        async with AsyncClient(app=app, token=await app.token("admin")) as admin:
            hook = await admin.webhooks.create("https://agents.example.com/askback")
            monkeypatch.setenv("WEBHOOK_SECRET", hook.secret.reveal())
            request = await agent.requests.create(
                Form(fields=[Text(id="q", label="Q")]), thread_id="t", delivery="resume"
            )
            await admin.requests.answer(request.id, {"q": "a"})
            with anyio.fail_after(120):
                while [delivery.state for delivery in await admin.webhooks.deliveries(hook)] != ["delivered"]:
                    await anyio.sleep(0.01)
    [message] = webhook_client.delivered_messages
    assert (await webhook_client.post_again(**message)).status_code == 204
    assert (await webhook_client.post_again(**{**message, "content": b"{}"})).status_code == 401
    assert capsys.readouterr().out == f'About your question ({request.id}): The person answered "Q": "a"\n'


def _last(field: dict[str, Any]) -> Any:
    """Choose the last option; Yes where it is a confirmation."""
    if field["type"] == "boolean":
        return True
    values = [option["value"] for option in field["options"]]
    return "Yes" if "Yes" in values else values[-1]


async def test_the_adapter_runs_approved_calls_and_tells_the_model_about_denied_ones(data: Path) -> None:
    tokens = json.loads((data / "server.json").read_text())
    process = run("adapter.py", data)
    decisions: dict[str, Literal["approve", "deny"]] = {"web": "approve", "api": "deny", "docs": "approve"}
    async with AsyncClient(tokens["url"], tokens["responder_token"]) as person:
        with anyio.fail_after(120):
            async for event in person.events("adapter", cursor=0):
                if event["type"] != "request.created":
                    continue
                target = event["request"]["approval"]["input"]["target"]
                await person.requests.decide(event["request"]["id"], decisions.pop(target))
                if not decisions:
                    break
            out, err = await anyio.to_thread.run_sync(process.communicate)
    assert process.returncode == 0, err
    first, denied, *_, last = out.splitlines()
    assert (first, last) == ("Deployed web.", "Deployed docs.")
    assert 'denied execution of the tool "deploy"' in denied
