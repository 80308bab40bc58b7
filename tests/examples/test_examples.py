"""Each example runs as it stands against `askback serve`, found through `server.json`."""

from __future__ import annotations

import json
import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import anyio
import httpx2
import pytest

from askback import AsyncClient, Forbidden, Form, NotFound, Text
from askback.app import create_app
from askback.ports.webhooks import Answered
from askback.service.webhooks import dispatch

EXAMPLES = Path(__file__).parents[2] / "examples"
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("ASKBACK_")}

ANSWERS: dict[str, tuple[str, dict[str, Any], str]] = {
    "agent.py": ("reports", {"format": "PDF", "topic": "Whales"}, "{'format': 'PDF', 'topic': 'Whales'}"),
    "model.py": (
        "travel",
        {"city": "Rome", "leaves": "2026-12-01", "nights": 4, "by": "bus"},
        "4 nights in Rome from 01 December 2026, by bus.",
    ),
    "blocking.py": ("backups", {}, "Deleting."),
    "restart.py": ("releases", {"name": "Otter"}, "Otter"),
    "checked_answer.py": ("services", {"name": "shop"}, "The service is called shop."),
    "resume.py": ("holidays", {"where": "sea"}, "About your question (req_"),
    "from_shell.sh": ("shell", {"answer": "staging"}, "Deploying: {"),
    "parallel.py": ("parallel", {}, "{'colour': 'green', 'size': 'large', 'shape': 'square'}"),
}

OWN_TESTS = ("receive_webhook.py", "share_a_thread.py", "directory.py", "server_probe.py")
"""Examples that have a test of their own."""

DECISIONS: dict[str, tuple[str, str, str]] = {
    "approve_a_command.py": ("commands", "It ended with 0.\n", 'denied execution of the tool "bash"'),
    "requires_approval.py": (
        "files",
        "hello.txt has 6 characters.\n",
        'denied execution of the tool "write_file"',
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


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("server")
    command = [
        sys.executable,
        "-m",
        "askback",
        "serve",
        "--port",
        "0",
        "--data-dir",
        str(folder),
        "--ready-json",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=ENVIRONMENT)
    assert process.stdout is not None
    assert process.stdout.readline()
    yield folder
    process.terminate()
    process.communicate(timeout=10)


def run(example: str, data: Path, *arguments: str) -> subprocess.Popen[str]:
    program = "sh" if example.endswith(".sh") else sys.executable
    command = [program, str(EXAMPLES / example), *arguments]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**ENVIRONMENT, "ASKBACK_DATA_DIR": str(data), "PATH": path}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd=data
    )


def test_every_example_has_a_test() -> None:
    tested = ANSWERS.keys() | DECISIONS.keys() | SUBMISSIONS.keys() | set(OWN_TESTS)
    assert {path.name for path in EXAMPLES.iterdir() if path.is_file()} == tested


@pytest.mark.parametrize("example", ANSWERS)
async def test_the_example_asks_and_goes_on(example: str, data: Path) -> None:
    thread, values, printed = ANSWERS[example]
    tokens = json.loads((data / "server.json").read_text())
    process = run(example, data)
    async with AsyncClient(tokens["url"], tokens["responder_token"]) as person:
        with anyio.fail_after(30):
            left = 3 if example == "parallel.py" else 1
            async for event in person.events(thread, cursor=0):
                if event["type"] != "request.created":
                    continue
                request = event["request"]
                known = values or {field["id"]: _last(field) for field in request["form"]["fields"]}
                await person.answer(request["id"], known, revision=1)
                left -= 1
                if not left:
                    break
            out, err = await anyio.to_thread.run_sync(process.communicate)
    assert process.returncode == 0, err
    assert out.startswith(printed)


@pytest.mark.parametrize("example", DECISIONS)
async def test_the_example_does_what_was_approved_and_nothing_else(example: str, data: Path) -> None:
    thread, printed, refused = DECISIONS[example]
    before = set(data.iterdir())
    approved, out = await decided(example, data, thread, "approve", after=0)
    made = {path.name for path in set(data.iterdir()) - before}
    assert (out, made) == (printed, {"release"} if thread == "commands" else {"hello.txt"})
    for name in made:
        path = data / name
        path.rmdir() if path.is_dir() else path.unlink()
    _, out = await decided(example, data, thread, "deny", after=approved)
    assert refused in out
    assert set(data.iterdir()) == before


async def decided(
    example: str, data: Path, thread: str, decision: Literal["approve", "deny"], *, after: int
) -> tuple[int, str]:
    """Run an example and decide about what it asks; returns its event's `seq`, and all that was printed."""
    tokens = json.loads((data / "server.json").read_text())
    process = run(example, data)
    seq = after
    async with AsyncClient(tokens["url"], tokens["responder_token"]) as person:
        with anyio.fail_after(30):
            async for event in person.events(thread, cursor=after):
                if event["type"] == "request.created":
                    await person.decide(event["request"]["id"], decision)
                    seq = event["seq"] + 1
                    break
            out, err = await anyio.to_thread.run_sync(process.communicate)
    return seq, out + err


@pytest.mark.parametrize("example", SUBMISSIONS)
async def test_the_example_uses_what_was_handed_over_and_shows_it_to_nobody(example: str, data: Path) -> None:
    thread, name, values, printed = SUBMISSIONS[example]
    tokens = json.loads((data / "server.json").read_text())
    process = run(example, data)
    left = list(values)
    async with AsyncClient(tokens["url"], tokens["responder_token"]) as person:
        with anyio.fail_after(30):
            async for event in person.events(thread, cursor=0):
                if event["type"] in {"request.created", "request.reprompted"}:
                    request = event["request"]
                    await person.submit(request["id"], {name: left.pop(0)}, revision=request["revision"])
                    if not left:
                        break
            out, err = await anyio.to_thread.run_sync(process.communicate)
    assert (process.returncode, out) == (0, printed), err
    assert not [value for value in values if value in out + err]


async def test_the_stopped_agent_finds_the_answer_given_meanwhile(data: Path) -> None:
    tokens = json.loads((data / "server.json").read_text())
    process = run("restart.py", data, "run-2")
    async with AsyncClient(tokens["url"], tokens["responder_token"]) as person:
        with anyio.fail_after(30):
            async for event in person.events("releases", cursor=0):
                request = event["request"]
                if (
                    event["type"] == "request.created"
                    and (await person.get(request["id"])).status == "pending"
                ):
                    break
            process.send_signal(signal.SIGINT)
            await anyio.to_thread.run_sync(process.communicate)
            await person.answer(request["id"], {"name": "Otter"})
            out, err = await anyio.to_thread.run_sync(run("restart.py", data, "run-2").communicate)
    assert out == "Otter\n", err


async def test_the_shared_thread_is_answered_by_its_owner_and_hidden_from_others(data: Path) -> None:
    tokens = json.loads((data / "server.json").read_text())
    process = run("share_a_thread.py", data)
    async with (
        httpx2.AsyncClient(base_url=tokens["url"], trust_env=False) as http,
        AsyncClient(tokens["url"], tokens["responder_token"]) as stranger,
    ):
        admin = {"Authorization": f"Bearer {tokens['admin_token']}"}
        made = await http.post("/v1/tokens", json={"role": "responder", "user": "ada"}, headers=admin)
        async with AsyncClient(tokens["url"], made.json()["token"]) as ada:
            with anyio.fail_after(30):
                async for event in ada.events("report-7", cursor=0):
                    if event["type"] == "request.created":
                        with pytest.raises(NotFound):
                            await stranger.get(event["request"]["id"])
                        await ada.answer(event["request"]["id"], {"title": "Whales"}, revision=1)
                        break
                out, err = await anyio.to_thread.run_sync(process.communicate)
    assert out == "Whales\n", err


async def test_the_directory_is_asked_for_groups() -> None:
    app = runpy.run_path(str(EXAMPLES / "directory.py"))["app"]
    form = Form(fields=[Text(id="q", label="Q")])
    async with AsyncClient(app=app) as agent:
        asked = await agent.create(form, thread_id="t", assignees=["group:ops"])
        async with AsyncClient(app=app, token=await app.token("responder", user="eve")) as eve:
            with pytest.raises(Forbidden):
                await eve.answer(asked.id, {"q": "a"})
        async with AsyncClient(app=app, token=await app.token("responder", user="bob")) as bob:
            assert (await bob.answer(asked.id, {"q": "a"})).status == "answered"


async def test_the_server_tries_a_key_for_an_agent_that_names_its_probe() -> None:
    app = runpy.run_path(str(EXAMPLES / "server_probe.py"))["app"]
    async with AsyncClient(app=app) as agent:
        asked = await agent.secrets("CRM_KEY", reason="x", thread_id="t", probe="crm", wait=False)
        assert asked.request is not None
        async with AsyncClient(app=app, token=await app.token("responder")) as person:
            again = await person.submit(asked.request, {"CRM_KEY": "too-short"})
            with anyio.fail_after(10):
                while again.revision == 1:
                    again = await person.get(asked.request.id)
            assert [error.message for error in again.field_errors] == ["The CRM does not know this key."]
            await person.submit(again, {"CRM_KEY": "exactly-16-chars"})
            with anyio.fail_after(10):
                ended = await agent.wait(again)
    assert ended.answer is not None
    assert ended.answer.verified is True


class ToApp:
    """A courier that carries messages to an app in this process, as they are."""

    def __init__(self, app: Any) -> None:
        self._http = httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app))
        self.carried: list[dict[str, Any]] = []

    def vet(self, url: str) -> None:
        pass

    async def post(self, url: str, *, headers: Mapping[str, str], body: bytes) -> Answered:
        self.carried.append({"url": url, "headers": headers, "content": body})
        return Answered((await self.post_again(**self.carried[-1])).status_code)

    async def post_again(self, **message: Any) -> httpx2.Response:
        return await self._http.post(**message)


async def test_the_receiver_goes_on_once_and_only_with_what_is_signed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(dispatch, "LOOK_S", 0.02)
    courier = ToApp(runpy.run_path(str(EXAMPLES / "receive_webhook.py"))["app"])
    app = create_app(courier=courier)
    async with AsyncClient(app=app) as agent:
        await agent.list()
        async with AsyncClient(app=app, token=await app.token("admin")) as admin:
            hook = await admin.add_webhook("https://agents.example.com/askback")
            monkeypatch.setenv("WEBHOOK_SECRET", hook.secret.reveal())
            asked = await agent.create(
                Form(fields=[Text(id="q", label="Q")]), thread_id="t", delivery="resume"
            )
            await admin.answer(asked.id, {"q": "a"})
            with anyio.fail_after(10):
                while [each.state for each in await admin.deliveries(hook)] != ["delivered"]:
                    await anyio.sleep(0.01)
    [message] = courier.carried
    assert (await courier.post_again(**message)).status_code == 204
    assert (await courier.post_again(**{**message, "content": b"{}"})).status_code == 401
    assert capsys.readouterr().out == f'About your question ({asked.id}): The person answered "Q": "a"\n'


def _last(field: dict[str, Any]) -> Any:
    """Choose the last option; Yes where it is a confirmation."""
    if field["type"] == "boolean":
        return True
    values = [option["value"] for option in field["options"]]
    return "Yes" if "Yes" in values else values[-1]
