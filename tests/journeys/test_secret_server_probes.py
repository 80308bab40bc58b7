"""Groups E and H: the server tests submitted values once, with a probe that the agent names."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

from askback.domain.limits import DEFAULTS, Limits
from askback.domain.secrets.secret import Secret
from askback.ports.probe import HOLDS, UNVERIFIABLE, Verdict, fails
from askback.server.app import create_app
from askback.server.plugins import PluginUnusable, installed_probes
from askback.server.settings import load
from askback.server.system import SystemClock
from tests.forks.process import Process, fork
from tests.journeys.people import Person, Team, create_team, faults, leased_values, refusal, request_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

BASE = "http://127.0.0.1:8787"
NOT_RESOLVING = (409, "not_resolving")
NOT_GRANTED = (404, "not_granted")
SEND_AGAIN = "Could not verify this value. Send it again."
SCRIPT = Path(__file__).with_name("probing_server.py")
QUICK = replace(DEFAULTS, probe_s=1)

Act = Callable[[Mapping[str, Secret]], Awaitable[Verdict]]


@dataclass
class Crm:
    """A probe with a scripted result for each value of `A_KEY`, which records its values."""

    actions: Mapping[str, Act | Verdict] = field(default_factory=dict[str, "Act | Verdict"])
    received_values: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    start_event: anyio.Event = field(default_factory=anyio.Event)

    async def probe(self, secrets: Mapping[str, Secret], /) -> Verdict:
        self.received_values.append({name: value.reveal() for name, value in secrets.items()})
        self.start_event.set()
        act = self.actions.get(secrets["A_KEY"].reveal(), HOLDS)
        return act if isinstance(act, Verdict) else await act(secrets)

    @property
    def tried(self) -> list[str]:
        return [values["A_KEY"] for values in self.received_values]


async def hangs(_: Mapping[str, Secret]) -> Verdict:
    await anyio.sleep_forever()
    raise AssertionError


class AdjustableClock(SystemClock):
    """A clock that can be set forward."""

    ahead_ms = 0

    def now_ms(self) -> int:
        return super().now_ms() + self.ahead_ms


@asynccontextmanager
async def start_probing_team(
    data: Path, crm: Crm, *, limits: Limits = DEFAULTS, clock: AdjustableClock | None = None
) -> AsyncIterator[Team]:
    """Everybody, on a server of this process with that probe."""
    app = create_app(load({}, data_dir=data), probes={"crm": crm}, limits=limits, clock=clock)
    async with app.running():
        admin = await app.token("admin")
        async with create_team(BASE, admin, transport=httpx2.ASGITransport(app=app)) as team:
            yield team


async def submit_key(team: Team, value: str = "good", **more: Any) -> dict[str, Any]:
    """Let Ada submit `A_KEY` for a test by the server; returns the request after that."""
    request = request_of(await team.agent.need("t", "A_KEY", probe="crm", **more))
    sent = await team.ada.hand_over(request["id"], {"A_KEY": value})
    assert sent.status_code == 200, sent.text
    assert sent.json()["status"] == "resolving"
    return sent.json()


async def changed(team: Team, request: Mapping[str, Any]) -> dict[str, Any]:
    """The request once it has changed."""
    params = {"wait": 20, "revision": request["revision"]}
    reply = await team.ada.http.get(f"/v1/requests/{request['id']}", params=params)
    assert reply.status_code == 200, "nothing came of it"
    return reply.json()


# --- the verdict ------------------------------------------------------------------------------


@requirement("E23")
async def test_a_secret_that_passes_the_server_probe_is_the_answer_of_the_person(tmp_path: Path) -> None:
    crm = Crm()
    async with start_probing_team(tmp_path, crm) as team:
        settled = await changed(team, await submit_key(team))
        assert (settled["status"], settled["source"], settled["settled_by"]["name"]) == (
            "answered",
            "responder",
            "ada",
        )
        assert settled["answer"] == {"names": ["A_KEY"], "scope": "session", "existing": [], "verified": True}
        assert leased_values(await team.agent.lease("t", "A_KEY")) == {"A_KEY": "good"}
        entries, _ = await team.admin.audit()
        [decided] = [entry for entry in entries if entry["action"] == "decide"]
        assert (decided["via"], decided["verified"], "actor" in decided) == ("probe", True, False)
    assert crm.tried == ["good"]


@requirement("E5", "E23")
async def test_a_secret_that_fails_the_server_probe_is_asked_for_again_without_its_value(
    tmp_path: Path,
) -> None:
    crm = Crm({"bad-value-4711": fails({"A_KEY": "The CRM\nrefuses bad-value-4711."})})
    async with start_probing_team(tmp_path, crm) as team:
        body = await changed(team, await submit_key(team, "bad-value-4711"))
        assert (body["status"], body["revision"]) == ("pending", 2)
        assert body["field_errors"] == [
            {"path": "secrets.A_KEY", "message": "The CRM refuses [secret:A_KEY]."}
        ]
        assert ("tried_until" in body, await team.ada.list_secrets()) == (False, [])
        await team.ada.hand_over(body["id"], {"A_KEY": "good"}, revision=2)
        settled = await changed(team, body)
        assert (settled["status"], settled["answer"]["verified"]) == ("answered", True)
        assert leased_values(await team.agent.lease("t", "A_KEY")) == {"A_KEY": "good"}
    assert crm.tried == ["bad-value-4711", "good"]


async def raise_with_value(secrets: Mapping[str, Secret]) -> Verdict:
    raise RuntimeError(f"no route with {secrets['A_KEY'].reveal()}")


async def name_other_secret(_: Mapping[str, Secret]) -> Verdict:
    return fails({"B_KEY": "It is wrong."})


async def return_none(_: Mapping[str, Secret]) -> Any:
    return None


@requirement("E23")
@pytest.mark.parametrize(
    "act", [UNVERIFIABLE, raise_with_value, hangs, name_other_secret, return_none], ids=lambda act: getattr(act, "__name__", "says so")
)  # fmt: skip
async def test_an_unverifiable_secret_is_stored_and_marked(
    tmp_path: Path, act: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async with start_probing_team(tmp_path, Crm({"value-4711": act}), limits=QUICK) as team:
        settled = await changed(team, await submit_key(team, "value-4711"))
        assert (settled["status"], settled["answer"]["verified"]) == ("answered", False)
        assert leased_values(await team.agent.lease("t", "A_KEY")) == {"A_KEY": "value-4711"}
    assert "4711" not in caplog.text


@requirement("E23")
async def test_a_saved_value_that_the_person_chose_is_tried_with_the_typed_one(tmp_path: Path) -> None:
    crm = Crm()
    async with start_probing_team(tmp_path, crm) as team:
        await team.ada.keep("B_KEY", "saved")
        request = request_of(await team.agent.need("t", "A_KEY", "B_KEY", probe="crm"))
        await team.ada.hand_over(request["id"], {"A_KEY": "typed"}, existing=["B_KEY"])
        settled = await changed(team, request)
        assert settled["answer"]["existing"] == ["B_KEY"]
        values = leased_values(await team.agent.lease("t", "A_KEY", "B_KEY"))
    assert crm.received_values == [values] == [{"A_KEY": "typed", "B_KEY": "saved"}]


@requirement("E23")
async def test_a_request_is_cancelled_after_ten_failed_probes(tmp_path: Path) -> None:
    crm = Crm({"bad": fails({"A_KEY": "No."})})
    async with start_probing_team(tmp_path, crm, limits=replace(DEFAULTS, reprompts=2)) as team:
        request = await changed(team, await submit_key(team, "bad"))
        for revision in (2, 3):
            await team.ada.hand_over(request["id"], {"A_KEY": "bad"}, revision=revision)
            request = await changed(team, request)
        assert (request["status"], request["reason"]) == ("cancelled", "failed")
    assert len(crm.tried) == 3


# --- who may name and use one -----------------------------------------------------------------


@requirement("E23")
@pytest.mark.parametrize("name", ["other", "", "CRM", "crm "])
async def test_a_probe_that_there_is_not_is_refused_without_telling_which_there_are(
    tmp_path: Path, name: str
) -> None:
    async with start_probing_team(tmp_path, Crm()) as team:
        refused_reply = await team.agent.need("t", "A_KEY", probe=name)
        assert faults(refused_reply) == [("secret.probe", "unknown_value")]
        assert "crm" not in refused_reply.text
        assert await team.ada.pending("t") == []


@requirement("E23")
async def test_while_the_server_tries_the_agent_neither_has_the_value_nor_decides(tmp_path: Path) -> None:
    crm = Crm({"slow": hangs})
    async with start_probing_team(tmp_path, crm) as team:
        request = await submit_key(team, "slow")
        await crm.start_event.wait()
        for reply in (
            await team.agent.accept(request["id"]),
            await team.agent.reprompt(request["id"], error_summary="no"),
            await team.agent.lease("t", "A_KEY", request_id=request["id"]),
        ):
            assert refusal(reply) == NOT_RESOLVING
        assert refusal(await team.agent.lease("t", "A_KEY")) == NOT_GRANTED
        assert await team.ada.get(request["id"]) == request


@requirement("E23")
async def test_the_agent_still_tries_itself_where_it_says_so(tmp_path: Path) -> None:
    crm = Crm()
    async with start_probing_team(tmp_path, crm) as team:
        request = request_of(await team.agent.need("t", "A_KEY", probe=True))
        await team.ada.hand_over(request["id"], {"A_KEY": "good"})
        settled = (await team.agent.accept(request["id"])).json()
        assert (settled["status"], "verified" in settled["answer"]) == ("answered", False)
    assert crm.tried == []


# --- once, and never stuck --------------------------------------------------------------------


@requirement("E23", "H4", "M4")
async def test_one_of_many_concurrent_or_repeated_submissions_is_probed(tmp_path: Path) -> None:
    crm = Crm()
    async with start_probing_team(tmp_path, crm) as team:
        request = request_of(await team.agent.need("t", "A_KEY", probe="crm"))
        codes: list[int] = []

        async def send(number: int) -> None:
            values = {"A_KEY": f"value {number % 4}"}
            codes.append((await team.ada.hand_over(request["id"], values, key=f"k{number % 4}")).status_code)

        async with anyio.create_task_group() as hands:
            for number in range(12):
                hands.start_soon(send, number)
        await changed(team, request)
        assert set(codes) == {200, 409}
    assert len(crm.tried) == 1


@requirement("E23", "H6")
async def test_a_request_that_ends_during_its_probe_stays_ended_and_stores_nothing(tmp_path: Path) -> None:
    go = anyio.Event()

    async def slow(_: Mapping[str, Secret]) -> Verdict:
        await go.wait()
        return HOLDS

    crm = Crm({"slow": slow})
    async with start_probing_team(tmp_path, crm) as team:
        request = await submit_key(team, "slow")
        await crm.start_event.wait()
        assert (await team.agent.cancel(request["id"])).status_code == 200
        go.set()
        await anyio.wait_all_tasks_blocked()
        assert (await team.ada.get(request["id"]))["status"] == "cancelled"
        assert await team.ada.list_secrets() == []


@requirement("E23", "H6")
async def test_a_late_verdict_is_ignored(tmp_path: Path) -> None:
    go, clock = anyio.Event(), AdjustableClock()

    async def give_late_verdict(_: Mapping[str, Secret]) -> Verdict:
        await go.wait()
        return HOLDS

    crm = Crm({"late": give_late_verdict})
    async with start_probing_team(tmp_path, crm, clock=clock) as team:
        request = await submit_key(team, "late")
        await crm.start_event.wait()
        clock.ahead_ms = 3_600_000
        body = await changed(team, request)
        assert (body["status"], body["revision"], body["error_summary"]) == ("pending", 2, SEND_AGAIN)
        go.set()
        await anyio.wait_all_tasks_blocked()
        assert await team.ada.get(request["id"]) == body
        assert (await team.ada.list_secrets(), refusal(await team.agent.lease("t", "A_KEY"))) == (
            [],
            NOT_GRANTED,
        )


@requirement("E23", "H6")
async def test_a_probe_interrupted_by_a_restart_is_not_repeated_and_the_person_is_asked_again(
    tmp_path: Path,
) -> None:
    crm, clock = Crm({"slow": hangs}), AdjustableClock()
    async with start_probing_team(tmp_path, crm) as team:
        request = await submit_key(team, "slow")
        await crm.start_event.wait()
    async with start_probing_team(tmp_path, crm, clock=clock) as team:
        assert (await team.ada.get(request["id"]))["status"] == "resolving"
        clock.ahead_ms = 60_000
        body = await changed(team, request)
        assert (body["status"], body["error_summary"]) == ("pending", SEND_AGAIN)
        await team.ada.hand_over(body["id"], {"A_KEY": "good"}, revision=2)
        assert (await changed(team, body))["answer"]["verified"] is True
    assert crm.tried == ["slow", "good"]


@requirement("E23", "H6")
async def test_a_probe_of_a_killed_server_is_not_repeated_and_the_person_is_asked_again(
    tmp_path: Path,
) -> None:
    calls = tmp_path / "calls"
    tokens = ",".join(f"{role}:{role}-{'x' * 20}" for role in ("requester", "responder", "admin"))

    def start() -> tuple[Process, str]:
        environment = {**os.environ, "ASKBACK_BOOTSTRAP_TOKENS": tokens}
        arguments = (str(tmp_path / "data"), str(calls))
        process = fork(*arguments, program=str(SCRIPT), environment=environment, stdin=0, stderr=2)
        assert process.stdout is not None
        return process, process.stdout.readline().decode().strip()

    async def person(url: str, role: str) -> Person:
        return Person(url, f"{role}-{'x' * 20}")

    process, url = await anyio.to_thread.run_sync(start)
    try:
        async with await person(url, "requester") as agent, await person(url, "responder") as ada:
            request = request_of(await agent.need("t", "A_KEY", probe="crm"))
            assert (await ada.hand_over(request["id"], {"A_KEY": "hangs"})).status_code == 200
            with anyio.fail_after(120):
                while not (calls.exists() and calls.read_text()):
                    await anyio.lowlevel.checkpoint()
        process.kill()
        process.wait(120)
        process, url = await anyio.to_thread.run_sync(start)
        async with await person(url, "responder") as ada:
            waited = await ada.http.get(f"/v1/requests/{request['id']}", params={"wait": 20, "revision": 1})
            checked_request = waited.json()
            assert (checked_request["status"], checked_request["error_summary"]) == ("pending", SEND_AGAIN)
            assert calls.read_text() == "called\n"
            await ada.hand_over(request["id"], {"A_KEY": "good"}, revision=2)
            waited = await ada.http.get(f"/v1/requests/{request['id']}", params={"wait": 20})
            assert waited.json()["answer"]["verified"] is True
    finally:
        process.kill()
        process.wait(120)
    assert calls.read_text() == "called\n" * 2


# --- probes of installed packages -------------------------------------------------------------


def install(folder: Path, entry: str, code: str) -> None:
    """An installed package."""
    info = folder / "acme_askback-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-askback\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[askback.probes]\n{entry}\n")
    (folder / "acme_askback.py").write_text(code)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "acme_askback", raising=False)
    return tmp_path


def test_a_probe_of_an_installed_package_is_named_by_its_entry_point(package: Path) -> None:
    install(
        package, "crm = acme_askback:crm", "class Crm:\n  async def probe(self, secrets): ...\ncrm = Crm()\n"
    )
    assert list(installed_probes()) == ["crm"]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("crm = acme_askback:nothing", "crm .acme_askback:nothing. cannot be loaded: AttributeError"),
        ("crm = acme_askback:number", "crm .acme_askback:number. has no method probe"),
        ("crm = acme_missing:crm", "cannot be loaded: ModuleNotFoundError"),
    ],
)
def test_a_probe_that_cannot_be_used_stops_the_server_with_a_sentence(
    package: Path, entry: str, message: str
) -> None:
    install(package, entry, "number = 5\n")
    with pytest.raises(PluginUnusable, match=message):
        create_app()
